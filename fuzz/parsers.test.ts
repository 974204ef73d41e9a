/** Everything that reads untrusted text without a file: no unexpected exception, bounded time and memory. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  compareApk,
  compareDebian,
  compareRpm,
  compareVersions,
  describeVector,
  scoreOf,
} from '../packages/intelligence/src/index.ts'
import { bindUri, parseCpe } from '../packages/intelligence/src/wfn-uri.ts'
import { bindFormattedString, fromWfn, parseFormattedString, toWfn } from '../packages/intelligence/src/wfn.ts'
import { isProblem, parseAddress } from '../packages/scanner/src/address.ts'
import { isExcluded, parseExclusion } from '../packages/scanner/src/exclusion.ts'
import { identifyBanner } from '../packages/scanner/src/fingerprint/banner.ts'
import { reportedCertificate } from '../packages/scanner/src/fingerprint/certificate.ts'
import { compileFingerprints } from '../packages/scanner/src/fingerprint/match.ts'
import { parseNmapProbes } from '../packages/scanner/src/fingerprint/nmap-probes.ts'
import { parseRecog } from '../packages/scanner/src/fingerprint/recog.ts'
import { scriptExcerpt, scriptPaths } from '../packages/scanner/src/fingerprint/script.ts'
import { parseTechnologies } from '../packages/scanner/src/fingerprint/technologies.ts'
import { identifyTechnologies } from '../packages/scanner/src/fingerprint/technology.ts'
import { formatIp, parseIp, parseNetwork } from '../packages/scanner/src/ip.ts'
import { parsePorts } from '../packages/scanner/src/port-list.ts'
import { readableAddress } from '../packages/scanner/src/readable.ts'
import { createJar } from '../packages/scanner/src/net/cookie-jar.ts'
import { parseExpression } from '../packages/scanner/src/template/dsl.ts'
import { maskSecrets, printable } from '../packages/scanner/src/template/evidence.ts'
import { parseFlow } from '../packages/scanner/src/template/flow.ts'
import { parseJq } from '../packages/scanner/src/template/jq.ts'
import { parseTemplate } from '../packages/scanner/src/template/parse.ts'
import { readRawText } from '../packages/scanner/src/template/raw.ts'
import { compilePattern } from '../packages/scanner/src/template/regex.ts'
import { satisfies } from '../packages/scanner/src/template/version-constraint.ts'
import { parseXPath } from '../packages/scanner/src/template/xpath.ts'
import { Stopped } from '../packages/scanner/src/unit.ts'
import { holds } from './bounds.ts'
import { mutated } from './mutate.ts'
import * as samples from './samples.ts'

const recogFiles = samples.packFiles('fingerprints', '.xml')
const fingerprints = compileFingerprints(recogFiles.map((xml) => parseRecog(xml, 'pack')))
/** The texts that each field has in the examples of the fingerprints. */
const examples = recogFiles
  .map((xml) => parseRecog(xml, 'pack', { withExamples: true }))
  .map(
    ({ matches, fingerprints: ofField }) =>
      [matches, ofField.flatMap((fingerprint) => fingerprint.examples.map(({ text }) => text))] as const,
  )
  .filter(([, texts]) => texts.length > 0)
const origin = { address: '127.0.0.1', port: 80, tls: false, hostname: 'localhost' }
const certificate = {
  validFrom: '2026-01-01T00:00:00.000Z',
  validTo: '2027-01-01T00:00:00.000Z',
  selfSigned: true,
  fingerprint: 'a'.repeat(64),
  keyBits: 2048,
  keyType: 'rsa',
  chainLength: 1,
}
const endpoint = { address: '127.0.0.1', port: 80, transport: 'tcp' } as const

/** Runs untrusted work with its own budget: exceeding it is a documented outcome. */
function withinBudget(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof Stopped) return false
    throw error
  }
}

const oneText: readonly (readonly [string, readonly string[], (text: string) => boolean])[] = [
  [
    'CPE names are read as they are written',
    samples.cpeNames,
    (text) => {
      const name = parseCpe(text)
      if (!name) return false
      expect(parseFormattedString(bindFormattedString(name))).toEqual(name)
      // The contract's format has no wildcards inside of values, and no quoted hyphen.
      const values = Object.values(name)
      const isExact = values.every((value) => value === '*' || !/^\\-$|[*?]/.test(value))
      if (isExact) expect(fromWfn(toWfn(name))).toEqual(name)
      bindUri(name)
      return true
    },
  ],
  [
    'CVSS scores are from 0 to 10',
    samples.cvssVectors,
    (text) => {
      const score = scoreOf(text)
      if (score !== null && !(score >= 0 && score <= 10)) throw new Error(`${score}`)
      describeVector(text)
      return score !== null
    },
  ],
  [
    'addresses',
    samples.addresses,
    (text) => {
      const address = parseAddress(text)
      readableAddress(text)
      if (isProblem(address)) return false
      expect(isProblem(parseAddress(address.text))).toBe(false)
      return true
    },
  ],
  ['port lists', samples.portLists, (text) => !('problem' in parsePorts(text))],
  [
    'IP addresses',
    samples.ipAddresses,
    (text) => {
      const ip = parseIp(text)
      if (ip) expect(parseIp(formatIp(ip))).toEqual(ip)
      return parseNetwork(text) !== null || ip !== null
    },
  ],
  [
    'exclusions',
    samples.addresses,
    (text) => {
      const exclusion = parseExclusion(text)
      if ('problem' in exclusion) return false
      isExcluded('192.0.2.1', [exclusion])
      return true
    },
  ],
  [
    'banners',
    samples.banners,
    (text) => {
      const banner = identifyBanner(text, 21)
      return banner !== undefined && printable(banner.text) !== ''
    },
  ],
  [
    'pages',
    samples.pages,
    (text) => {
      scriptExcerpt(Buffer.from(text))
      return scriptPaths(text, origin).length > 0
    },
  ],
  ['evidence', samples.pages, (text) => maskSecrets(printable(text)) !== ''],
  [
    'names in certificates',
    samples.addresses,
    (text) => reportedCertificate({ ...certificate, subject: text, issuer: text, names: [text] }).subject !== '',
  ],
  [
    'fingerprint files',
    recogFiles.filter((text) => text.length < 3000),
    (text) => {
      try {
        const file = parseRecog(text, 'pack')
        compileFingerprints([file]).match(file.matches, samples.pages[0] ?? '')
        return true
      } catch (error) {
        // Documented: the file is rejected as a whole.
        if (!(error instanceof Error) || error.constructor !== Error) throw error
        return false
      }
    },
  ],
  [
    'nmap probes',
    samples.nmapProbes,
    (text) => {
      const files = parseNmapProbes(text)
      for (const { matches } of files) compileFingerprints(files).match(matches, samples.banners[0] ?? '')
      return files.some((file) => file.fingerprints.length > 0)
    },
  ],
  [
    'technology files',
    samples.technologyFiles,
    (text) => {
      try {
        compileFingerprints(parseTechnologies(text, 'a.json')).match('http_header.server', 'nginx/1.25.3')
        return true
      } catch (error) {
        // Documented: not a file of technologies.
        if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error
        return false
      }
    },
  ],
  [
    'templates',
    samples.packFiles('checks', '.yaml').filter((text) => text.length < 2000),
    (text) => !('reason' in parseTemplate('a.yaml', text)),
  ],
  [
    'expressions of templates',
    samples.expressions,
    (text) => {
      const expression = parseExpression(text)
      if (typeof expression === 'string') return false
      return withinBudget(() => expression.evaluate((name) => samples.variables[name]))
    },
  ],
  ['flows of templates', samples.flows, (text) => typeof parseFlow(text, 3) !== 'string'],
  [
    'jq queries',
    samples.jqQueries,
    (text) => {
      const query = parseJq(text)
      return query !== null && withinBudget(() => query(JSON.parse(samples.jsonTexts[0] ?? '')))
    },
  ],
  ['raw requests', samples.rawRequests, (text) => typeof readRawText(text) !== 'string'],
  [
    'regular expressions',
    samples.patterns,
    (text) => {
      const pattern = compilePattern(text)
      return pattern !== null && withinBudget(() => pattern.matches(samples.pages[0] ?? ''))
    },
  ],
  [
    'cookies',
    samples.cookies,
    (text) => {
      const jar = createJar()
      jar.storeCookies('/a/b', { headers: [['Set-Cookie', text]] } as never)
      jar.addCookies({ method: 'GET', path: '/a/b' })
      return !jar.isEmpty()
    },
  ],
]

it.each(oneText)('%s', (_, texts, read) => holds(mutated(texts), read))

it('texts that fingerprints identify', () =>
  holds(
    fc.oneof(...examples.map(([field, texts]) => mutated(texts).map((text) => ({ field, text })))),
    (trace) => identifyTechnologies([trace], endpoint, fingerprints).length > 0,
    // Each set of a hundred patterns has an automaton of up to 2 MiB.
    { retainedMiBMax: 256 },
  ))

it('XPath expressions and documents', () =>
  holds(fc.tuple(mutated(samples.xpaths), mutated(samples.pages)), ([source, page]) => {
    const path = parseXPath(source)
    return path !== null && withinBudget(() => path.read(page, ''))
  }))

it('version constraints', () =>
  holds(
    fc.tuple(mutated(samples.versions), mutated(['>= 1.0', '< 2.0.0-rc1', '1.2.*'])),
    ([version, constraint]) => satisfies(version, [constraint]) !== undefined,
  ))

const scheme = { product: 'mariadb', targetSoftware: '' }
it.each([
  ['Debian', compareDebian],
  ['RPM', compareRpm],
  ['Alpine', compareApk],
  ['all', (left: string, right: string) => compareVersions(left, right, scheme)],
])('the order of %s versions is antisymmetric', (_, compare) =>
  holds(fc.tuple(mutated(samples.versions), mutated(samples.versions)), ([left, right]) => {
    const [forth, back] = [compare(left, right), compare(right, left)]
    expect([forth === null, Math.sign(forth ?? 0) + Math.sign(back ?? 0)]).toEqual([back === null, 0])
    return forth !== null
  }),
)
