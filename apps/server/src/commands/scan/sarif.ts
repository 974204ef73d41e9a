import type { CheckInfo } from '@glacis/scanner'
import type { Checks, Finding, HostObservation } from '#commands/scan/result.ts'
import { evidenceLengthMax, sarifLog, messageOf, uriOf } from '#sarif.ts'

const levels: Readonly<Record<string, string>> = { critical: 'error', high: 'error', medium: 'warning', low: 'note' }

/** One run as a SARIF 2.1.0 log (OASIS): a rule per matching check, a result per finding. */
export function sarifReport(observations: readonly HostObservation[], checks: Checks): string {
  const findings = observations.filter((item): item is Finding => item.kind === 'finding')
  const secured = new Set(
    observations.flatMap((item) => (item.kind === 'service' && item.tls ? `${item.address} ${item.port}` : [])),
  )
  const web = new Set(
    observations.flatMap((item) =>
      item.kind === 'service' && item.protocol === 'http' ? `${item.address} ${item.port}` : [],
    ),
  )
  const ids = [...new Set(findings.map(({ check }) => check))]
  const locationOf = (finding: Finding) => {
    const key = `${finding.address} ${finding.port}`
    return uriOf(finding, web.has(key) ? (secured.has(key) ? 'https' : 'http') : (finding.transport ?? 'tcp'))
  }
  return sarifLog(
    ids.map((id) => ruleOf(id, checks.get(id))),
    findings.map((finding) => resultOf(finding, ids, checks.get(finding.check), locationOf(finding))),
  )
}

function ruleOf(id: string, check: CheckInfo | undefined) {
  const text = [check?.summary, check?.impact].filter(Boolean).join(' ')
  return {
    id,
    name: check?.name || id,
    shortDescription: { text: check?.name || id },
    ...(text && { fullDescription: { text } }),
    ...(check?.remediation && { help: { text: check.remediation } }),
    ...(check?.references[0] && { helpUri: check.references[0] }),
    defaultConfiguration: { level: levels[check?.severity ?? ''] ?? 'none' },
    properties: {
      tags: ['security', ...(check?.tags ?? [])],
      ...(typeof check?.score === 'number' && { 'security-severity': check.score.toFixed(1) }),
    },
  }
}

function resultOf(finding: Finding, ids: readonly string[], check: CheckInfo | undefined, uri: string) {
  const { check: ruleId, threat, address, location, quality } = finding
  return {
    ruleId,
    ruleIndex: ids.indexOf(ruleId),
    level: levels[check?.severity ?? ''] ?? 'note',
    message: messageOf(check?.name || ruleId, finding),
    locations: [{ physicalLocation: { artifactLocation: { uri } } }],
    partialFingerprints: { 'glacis/v1': `${ruleId}|${address}|${location}` },
    properties: {
      threat,
      severity: check?.severity ?? 'unknown',
      quality,
      evidence: finding.evidence.slice(0, evidenceLengthMax),
    },
  }
}
