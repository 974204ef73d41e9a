/** The report as a SARIF 2.1.0 log (OASIS), for code hosts and findings collectors. */
import { type AffectedHost, type Evidence, ignoreReasonLabels } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import { evidenceLengthMax, sarifLog, messageOf, uriOf } from '#sarif.ts'
import type { ReportIssue, ReportModel, ReportService } from './model.ts'

const levels: Readonly<Partial<Record<SeverityCategory, string>>> = {
  CATEGORY_CRITICAL: 'error',
  CATEGORY_HIGH: 'error',
  CATEGORY_MEDIUM: 'warning',
  CATEGORY_LOW: 'note',
}

/**
 * One rule per threat, one result per occurrence. Resolved issues are omitted; ignored ones are
 * suppressed results.
 */
export function sarifOf({ issues, hosts }: ReportModel): string {
  const unresolved = issues.filter(({ status }) => status !== 'STATUS_RESOLVED')
  const services = new Map(
    hosts.flatMap(({ address, services: all }) => all.map((item) => [`${address} ${item.port}`, item] as const)),
  )
  const results = unresolved.flatMap((issue, ruleIndex) =>
    issue.affectedHosts
      .filter(({ status }) => status !== 'STATUS_RESOLVED')
      .flatMap((on) =>
        occurrencesOf(on).map((occurrence) => ({ ...resultOf(issue, on, occurrence, services), ruleIndex })),
      ),
  )
  return sarifLog(unresolved.map(ruleOf), results)
}

function ruleOf({ threat, threatKey }: ReportIssue) {
  const { name, summary, impact, severity, solution, references } = threat
  const text = [summary, impact].filter(Boolean).join(' ')
  const help = references.find((item) => 'url' in item && /^https?:/.test(item.url))
  return {
    id: threatKey,
    name,
    shortDescription: { text: name },
    ...(text && { fullDescription: { text } }),
    ...(solution?.description && { help: { text: solution.description } }),
    ...(help && 'url' in help && { helpUri: help.url }),
    defaultConfiguration: { level: levelOf(severity.category) },
    properties: {
      tags: ['security', ...references.flatMap((item) => ('cve' in item ? [item.cve] : []))],
      'security-severity': severity.score.toFixed(1),
    },
  }
}

type Occurrence = Pick<Evidence, 'location' | 'text' | 'quality' | 'reproduce'> & { readonly port?: number | undefined }

/** A host whose evidence was deleted still counts as one result. */
function occurrencesOf({ evidence = [] }: AffectedHost): readonly Occurrence[] {
  return evidence.length > 0 ? evidence : [{ location: '', text: '', quality: 0 }]
}

function resultOf(
  { threat, threatKey, verification }: ReportIssue,
  { host: { address }, status, ignored }: AffectedHost,
  { location, port = portIn(location), text, quality, reproduce }: Occurrence,
  services: ReadonlyMap<string, ReportService>,
) {
  const service = port === undefined ? undefined : services.get(`${address} ${port}`)
  const occurrence = { address, port, location }
  return {
    ruleId: threatKey,
    level: levelOf(threat.severity.category),
    message: messageOf(threat.name, occurrence),
    locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(occurrence, schemeOf(service)) } } }],
    partialFingerprints: { 'glacis/v1': `${threatKey}|${address}|${location}` },
    ...(status === 'STATUS_IGNORED' && {
      suppressions: [
        {
          kind: 'external',
          status: 'accepted',
          justification: ignored?.comment ?? (ignored?.reason ? ignoreReasonLabels[ignored.reason] : ''),
        },
      ],
    }),
    properties: {
      status,
      verification,
      quality,
      evidence: text.slice(0, evidenceLengthMax),
      ...(reproduce !== undefined && { reproduce }),
    },
  }
}

/** Locations start with their port. */
function portIn(location: string): number | undefined {
  const [digits] = /^\d+/.exec(location) ?? []
  return digits === undefined ? undefined : Number(digits)
}

function levelOf(category: SeverityCategory): string {
  return levels[category] ?? 'none'
}

function schemeOf(service: ReportService | undefined): string {
  if (service?.protocol === 'http') return service.tls ? 'https' : 'http'
  return service?.transport ?? 'tcp'
}
