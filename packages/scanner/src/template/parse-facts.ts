/** Parses a template's facts, used to plan scans, and its metadata. */
import type { CheckPermission } from '@glacis/contract/primitives'
import { requestDigests } from '#template/groups.ts'
import { isProofPossible } from '#template/matcher.ts'
import { rejectUnsupported } from '#template/parse-blocks.ts'
import { UnsupportedFeature, at, commaTexts, keysOf, text, texts, type Node } from '#template/parse-node.ts'
import type { ReadList } from '#template/payloads.ts'
import { readBlocks } from '#template/lazy-template.ts'
import { normalizedName } from '#template/relevance.ts'
import { isNumberedPart, readVariables } from '#template/scope.ts'
import type { CheckInfo, HttpBlock, Operators, TemplateBlocks, TemplateFacts } from '#template/template.ts'
import { isTimed } from '#template/timing.ts'

const severities = ['critical', 'high', 'medium', 'low', 'info', 'unknown']
const rootKeys = new Set([
  ...'id info http requests tcp network ssl stop-at-first-match headless code javascript file workflows dns'.split(' '),
  ...'websocket whois flow variables constants signature self-contained dynamic-section'.split(' '),
])

interface ReadTemplate {
  readonly facts: TemplateFacts
  readonly info: CheckInfo
  readonly blocks: TemplateBlocks
}

/**
 * Parses a complete template.
 *
 * @throws UnsupportedFeature if any feature is unsupported
 */
export function readTemplate(file: string, root: Node, readList: ReadList): ReadTemplate {
  for (const key of keysOf(root)) if (!rootKeys.has(key)) throw new UnsupportedFeature(key, [key])
  rejectUnsupported(root)
  const { blocks, missingValues } = readBlocks(root, readList)
  const { http, network, ssl, dns, flow } = blocks
  const all = [...http, ...network, ...ssl, ...dns].map(({ operators }) => operators)
  if (all.length === 0) throw new UnsupportedFeature('no requests', [], 'no requests')
  if (all.every(({ matchers, extractors }) => matchers.length + extractors.length === 0))
    throw new UnsupportedFeature('no matchers', [], 'blocks without matchers or extractors')
  const metadata = at(at(root, 'info'), 'metadata')
  const claimed = at(metadata, 'glacis-quality').value
  const claimedQuality = claimed === undefined ? null : Math.min(100, Math.max(0, Number(claimed) || 0))
  const variables = readVariables(root)
  const info = readInfo(root, claimedQuality ?? bestQuality(all))
  const facts: TemplateFacts = {
    file,
    id: info.id,
    variables: [...variables],
    blocks: { http: http.length, network: network.length, ssl: ssl.length, dns: dns.length },
    requestDigests: http.map((block) => requestDigests(block)),
    permission: permissionOf(root, [...http, ...network]),
    needsCallback: needsCallback(root),
    isUnsafe: http.some((block) => block.isUnsafe),
    missingValues: [...missingValues],
    subjects: [...subjectsOf(at(root, 'info'))],
    isSpecific: isSpecific(at(root, 'info')),
    isBruteForce: isGuessing(root, [...http, ...network]),
    isSequence: flow !== null || needsCallback(root) || isTimed({ http }) || isSequence(http),
    stopsAtFirstMatch: at(root, 'stop-at-first-match').value === true,
    protocols: commaTexts(at(metadata, 'glacis-protocol')),
    claimedQuality,
  }
  return { facts, info, blocks }
}

/** Whether the check is specific to a product rather than a class of weakness. */
function isSpecific(info: Node): boolean {
  const [, , , vendor = '', product = ''] = text(at(at(info, 'classification'), 'cpe'), '').split(':')
  const metadata = at(info, 'metadata')
  const hints = [
    'product',
    'vendor',
    'shodan-query',
    'fofa-query',
    'google-query',
    'framework',
    'plugin_namespace',
    'zoomeye-query',
    'publicwww-query',
  ]
  return (
    (vendor !== '' && product !== '' && product !== '*') || hints.some((hint) => at(metadata, hint).value !== undefined)
  )
}

/** The permission that a template needs, by its tags and payloads: the most dangerous first. */
function permissionOf(root: Node, blocks: readonly Pick<HttpBlock, 'payloads'>[]): CheckPermission | null {
  const tags = new Set(commaTexts(at(at(root, 'info'), 'tags')))
  if (tags.has('dos')) return 'crashes'
  if (tags.has('intrusive') || tags.has('fuzz')) return 'writes'
  return tags.has('default-login') || tags.has('brute-force') || isGuessing(root, blocks) ? 'logins' : null
}

function needsCallback(root: Node): boolean {
  const kinds = ['http', 'requests', 'tcp', 'network', 'variables', 'constants']
  const written = JSON.stringify(kinds.map((kind) => at(root, kind).value))
  return /interactsh[-_](?:url|protocol|request|response|ip)\b/.test(written)
}

/** Products and topics of the check, from its own metadata. */
function subjectsOf(info: Node): ReadonlySet<string> {
  const [, , , vendor = '', product = ''] = text(at(at(info, 'classification'), 'cpe'), '').split(':')
  const metadata = at(info, 'metadata')
  const named = [...commaTexts(at(metadata, 'product')), ...commaTexts(at(metadata, 'vendor'))]
  const all = [vendor, product, ...named, ...commaTexts(at(info, 'tags'))].map(normalizedName)
  return new Set(all.filter((name) => name !== '' && name !== '*'))
}

/** Credential lists can lock accounts, whatever the template's tags say. */
function isGuessing(root: Node, blocks: readonly Pick<HttpBlock, 'payloads'>[]): boolean {
  if (blocks.every(({ payloads }) => payloads === null)) return false
  const tags = commaTexts(at(at(root, 'info'), 'tags'))
  if (tags.some((tag) => /^(?:default-login|brute|bruteforce|brute-force|credential-stuffing|login-check)$/.test(tag)))
    return true
  return blocks.some(({ payloads }) =>
    [...(payloads?.lists.keys() ?? [])].some((name) => /^pass(?:wd|word)?s?$/i.test(name)),
  )
}

/**
 * Raw requests depend on each other, and so do requests whose matchers refer to earlier ones by
 * number.
 */
function isSequence(http: readonly HttpBlock[]): boolean {
  if (http.some(({ payloads }) => payloads !== null)) return true
  if (http.flatMap(({ raws }) => raws).length > 1) return true
  const isReading = http.some(({ operators }) => operators.extractors.some(({ isInternal }) => isInternal))
  if (isReading && http.flatMap(({ raws, paths }) => [...raws, ...paths]).length > 1) return true
  return http.some(({ operators }) => namesOf(operators).some(isNumberedPart))
}

function namesOf({ matchers, extractors }: Operators): string[] {
  return [...matchers, ...extractors].flatMap((part) => [
    part.part,
    ...(part.type === 'dsl' ? part.expressions.flatMap(({ names }) => [...names]) : []),
    ...(part.type === 'kval' ? part.keys : []),
  ])
}

function bestQuality(operators: readonly Operators[]): number {
  return operators.some(isProofPossible) ? 99 : 70
}

function readInfo(root: Node, quality: number): CheckInfo {
  const id = text(at(root, 'id'))
  if (!/^[\w.:-]{1,200}$/.test(id))
    throw new UnsupportedFeature('invalid', ['id'], 'id must contain only letters, digits, dots, and hyphens')
  const info = at(root, 'info')
  const classification = at(info, 'classification')
  const cves = commaTexts(at(classification, 'cve-id')).map((cve) => cve.toUpperCase())
  const named = [...cves, id.toUpperCase()].filter((cve) => /^CVE-\d{4}-\d{4,}$/.test(cve))
  const score = Number(text(at(classification, 'cvss-score'), ''))
  const severity = text(at(info, 'severity'), 'unknown').toLowerCase()
  return {
    id,
    name: text(at(info, 'name'), id),
    threat: named[0] ?? id,
    severity: severities.includes(severity) ? severity : 'unknown',
    cvss: text(at(classification, 'cvss-metrics'), ''),
    score: Number.isFinite(score) && score > 0 ? score : null,
    summary: text(at(info, 'description'), '').trim(),
    impact: text(at(info, 'impact'), '').trim(),
    remediation: text(at(info, 'remediation'), '').trim(),
    references: texts(at(info, 'reference')).map((reference) => reference.trim()),
    cves: [...new Set(named)],
    tags: commaTexts(at(info, 'tags')),
    quality,
    ...verificationOf(at(info, 'metadata')),
  }
}

function verificationOf(metadata: Node): Pick<CheckInfo, 'verifiedOn'> {
  const names = commaTexts(at(metadata, 'verified-on'))
  return names.length === 0 ? {} : { verifiedOn: names.filter((name) => name !== 'none') }
}
