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
import { parseRecog } from '../packages/scanner/src/fingerprint/recog.ts'
import { scriptExcerpt, scriptPaths } from '../packages/scanner/src/fingerprint/script.ts'
import { identifyTechnologies } from '../packages/scanner/src/fingerprint/technology.ts'
import { formatIp, parseIp, parseNetwork } from '../packages/scanner/src/ip.ts'
import { parsePorts } from '../packages/scanner/src/port-list.ts'
import { readableAddress } from '../packages/scanner/src/readable.ts'
import { createJar } from '../packages/scanner/src/template/cookie-jar.ts'
import { parseExpression } from '../packages/scanner/src/template/dsl.ts'
import { maskSecrets, printable } from '../packages/scanner/src/template/evidence.ts'
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
const origin = { address: '127.0.0.1', port: 80, tls: false, hostname: 'localhost' }
const endpoint = { address: '127.0.0.1', port: 80, transport: 'tcp' } as const

/** Runs untrusted work with its own budget: exceeding it is a documented outcome. */
function withinBudget(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
  }
}

const oneText: readonly (readonly [string, readonly string[], (text: string) => unknown])[] = [
  [
    'CPE names are read as they are written',
    samples.cpeNames,
    (text) => {
      const name = parseCpe(text)
      if (!name) return
      expect(parseFormattedString(bindFormattedString(name))).toEqual(name)
      // The contract's format has no wildcards inside of values.
      if (!/[*?]./.test(Object.values(name).join(' '))) expect(fromWfn(toWfn(name))).toEqual(name)
      bindUri(name)
    },
  ],
  [
    'CVSS scores are from 0 to 10',
    samples.cvssVectors,
    (text) => {
      const score = scoreOf(text)
      if (score !== null && !(score >= 0 && score <= 10)) throw new Error(`${score}`)
      describeVector(text)
    },
  ],
  [
    'addresses',
    samples.addresses,
    (text) => {
      const address = parseAddress(text)
      if (!isProblem(address)) expect(isProblem(parseAddress(address.text))).toBe(false)
      readableAddress(text)
    },
  ],
  ['port lists', samples.addresses, parsePorts],
  [
    'IP addresses',
    samples.addresses,
    (text) => {
      const ip = parseIp(text)
      if (ip) expect(parseIp(formatIp(ip))).toEqual(ip)
      parseNetwork(text)
    },
  ],
  [
    'exclusions',
    samples.addresses,
    (text) => {
      const exclusion = parseExclusion(text)
      if (!('problem' in exclusion)) isExcluded('192.0.2.1', [exclusion])
    },
  ],
  [
    'banners',
    samples.banners,
    (text) => {
      const banner = identifyBanner(text, 21)
      if (banner?.field) identifyTechnologies([{ field: banner.field, text: banner.text }], endpoint, fingerprints)
    },
  ],
  [
    'pages',
    samples.pages,
    (text) => {
      scriptPaths(text, origin)
      scriptExcerpt(Buffer.from(text))
      identifyTechnologies([{ field: 'http.body', text }], endpoint, fingerprints)
    },
  ],
  ['evidence', samples.pages, (text) => maskSecrets(printable(text))],
  [
    'certificates',
    samples.addresses,
    (text) =>
      reportedCertificate({
        subject: text,
        issuer: text,
        validFrom: text,
        validTo: text,
        names: [text],
        selfSigned: true,
        fingerprint: text,
        keyBits: 2048,
      } as never),
  ],
  [
    'fingerprint files',
    recogFiles.filter((text) => text.length < 3000),
    (text) => {
      try {
        compileFingerprints([parseRecog(text, 'pack')]).match('http.body', samples.pages[0] ?? '')
      } catch (error) {
        // Documented: the file is rejected as a whole.
        if (!(error instanceof Error) || error.constructor !== Error) throw error
      }
    },
  ],
  [
    'templates',
    samples.packFiles('checks', '.yaml').filter((text) => text.length < 2000),
    (text) => parseTemplate('a.yaml', text),
  ],
  [
    'expressions of templates',
    samples.expressions,
    (text) => {
      const expression = parseExpression(text)
      if (typeof expression !== 'string') withinBudget(() => expression.evaluate((name) => samples.variables[name]))
    },
  ],
  [
    'jq queries',
    samples.jqQueries,
    (text) => {
      const query = parseJq(text)
      if (query) withinBudget(() => query(JSON.parse(samples.jsonTexts[0] ?? '')))
    },
  ],
  ['raw requests', samples.rawRequests, (text) => readRawText(text)],
  [
    'regular expressions',
    samples.patterns,
    (text) => {
      const pattern = compilePattern(text)
      if (pattern) withinBudget(() => pattern.matches(samples.pages[0] ?? ''))
    },
  ],
  [
    'cookies',
    samples.cookies,
    (text) => {
      const jar = createJar()
      jar.storeCookies('/a/b', { headers: [['Set-Cookie', text]] } as never)
      jar.addCookies({ method: 'GET', path: '/a/b' })
    },
  ],
]

it.each(oneText)('%s', (_, texts, read) => holds(mutated(texts), read))

it('XPath expressions and documents', () =>
  holds(fc.tuple(mutated(samples.xpaths), mutated(samples.pages)), ([source, page]) => {
    const path = parseXPath(source)
    if (path) withinBudget(() => path.read(page, ''))
  }))

it('version constraints', () =>
  holds(fc.tuple(mutated(samples.versions), mutated(['>= 1.0', '< 2.0.0-rc1', '1.2.*'])), ([version, constraint]) =>
    satisfies(version, [constraint]),
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
  }),
)
