/** A scan's report as a SARIF 2.1.0 log (OASIS), which code hosts and collectors of findings read. */
import type { AffectedHost, Evidence, Issue } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import { version } from '#version.ts'
import type { ReportModel, ReportService } from './model.ts'

const levels: Readonly<Partial<Record<SeverityCategory, string>>> = {
  CATEGORY_CRITICAL: 'error',
  CATEGORY_HIGH: 'error',
  CATEGORY_MEDIUM: 'warning',
  CATEGORY_LOW: 'note',
}
const evidenceLengthMax = 4000

/** A rule per threat, a result per place. What is resolved is no result; what is ignored is a suppressed one. */
export function sarifOf({ issues, hosts }: ReportModel): string {
  const standing = issues.filter(({ status }) => status !== 'STATUS_RESOLVED')
  const services = new Map(
    hosts.flatMap(({ address, services: all }) => all.map((one) => [`${address} ${one.port}`, one] as const)),
  )
  const results = standing.flatMap((issue, ruleIndex) =>
    issue.affectedHosts
      .filter(({ status }) => status !== 'STATUS_RESOLVED')
      .flatMap((on) => placesOf(on).map((place) => ({ ...resultOf(issue, on, place, services), ruleIndex }))),
  )
  const driver = { name: 'Glacis', version, rules: standing.map(ruleOf) }
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results }],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

/** The id of the threat keeps apart what carries the same CVE. */
function ruleOf({ threat }: Issue) {
  const { id, name, summary, impact, severity, solution, references } = threat
  const text = [summary, impact].filter(Boolean).join(' ')
  const help = references.find((one) => 'url' in one && /^https?:/.test(one.url))
  return {
    id,
    name,
    shortDescription: { text: name },
    ...(text && { fullDescription: { text } }),
    ...(solution?.description && { help: { text: solution.description } }),
    ...(help && 'url' in help && { helpUri: help.url }),
    defaultConfiguration: { level: levelOf(severity.category) },
    properties: {
      tags: ['security', ...references.flatMap((one) => ('cve' in one ? [one.cve] : []))],
      'security-severity': severity.score.toFixed(1),
    },
  }
}

type Place = Pick<Evidence, 'location' | 'text' | 'quality'> & { readonly port?: number | undefined }

/** A host whose evidence has been forgotten is still a place. */
function placesOf({ evidence = [] }: AffectedHost): readonly Place[] {
  return evidence.length > 0 ? evidence : [{ location: '', text: '', quality: 0 }]
}

function resultOf(
  { threat, verification }: Issue,
  { host: { address }, status, ignored }: AffectedHost,
  { location, port = portIn(location), text, quality }: Place,
  services: ReadonlyMap<string, ReportService>,
) {
  const service = port === undefined ? undefined : services.get(`${address} ${port}`)
  return {
    ruleId: threat.id,
    level: levelOf(threat.severity.category),
    message: { text: `${threat.name} at ${address}${port ? `, port ${port}` : ''}.` },
    locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(address, location, port, service) } } }],
    partialFingerprints: { 'glacis/v1': `${threat.id}|${address}|${location}` },
    ...(status === 'STATUS_IGNORED' && {
      suppressions: [
        { kind: 'external', status: 'accepted', justification: ignored?.comment ?? ignored?.reason ?? '' },
      ],
    }),
    properties: { status, verification, quality, evidence: text.slice(0, evidenceLengthMax) },
  }
}

/** Locations begin with their port. */
function portIn(location: string): number | undefined {
  const [digits] = /^\d+/.exec(location) ?? []
  return digits === undefined ? undefined : Number(digits)
}

function levelOf(category: SeverityCategory): string {
  return levels[category] ?? 'none'
}

/** `https://192.0.2.1:443/.env` for the web, `tcp://192.0.2.1:6379` for anything else. */
function uriOf(address: string, location: string, port?: number, service?: ReportService): string {
  const host = address.includes(':') ? `[${address}]` : address
  const isWeb = service?.protocol === 'http'
  const scheme = isWeb ? (service.tls ? 'https' : 'http') : (service?.transport ?? 'tcp')
  const path = /^\d+(\/\S*)/.exec(location)?.[1] ?? ''
  return `${scheme}://${host}${port ? `:${port}` : ''}${isWeb ? encoded(path) : ''}`
}

/** A path as it was asked for: what is encoded in it already stays as it is. */
function encoded(path: string): string {
  return encodeURI(path).replaceAll(/%25(?=[0-9a-f]{2})/gi, '%')
}
