import type { CheckInfo } from '@glacis/scanner'
import { version } from '#version.ts'
import type { Checks } from '#commands/scan/writer.ts'
import type { Finding, Seen } from '#commands/scan/result.ts'

const levels: Readonly<Record<string, string>> = { critical: 'error', high: 'error', medium: 'warning', low: 'note' }

/** One run as a SARIF 2.1.0 log (OASIS): a rule per check that hit, a result per finding. */
export function sarifOf(seen: readonly Seen[], checks: Checks): string {
  const findings = seen.filter((one): one is Finding => one.kind === 'finding')
  const secured = new Set(
    seen.flatMap((one) => (one.kind === 'service' && one.tls ? `${one.address} ${one.port}` : [])),
  )
  const web = new Set(
    seen.flatMap((one) => (one.kind === 'service' && one.protocol === 'http' ? `${one.address} ${one.port}` : [])),
  )
  const ids = [...new Set(findings.map(({ check }) => check))]
  const placeOf = (finding: Finding) => {
    const key = `${finding.address} ${finding.port}`
    return uriOf(finding, web.has(key) ? (secured.has(key) ? 'https' : 'http') : (finding.transport ?? 'tcp'))
  }
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Glacis', version, rules: ids.map((id) => ruleOf(id, checks.get(id))) } },
        results: findings.map((finding) => resultOf(finding, ids, checks.get(finding.check), placeOf(finding))),
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
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
  const { check: ruleId, threat, address, port, location, quality } = finding
  return {
    ruleId,
    ruleIndex: ids.indexOf(ruleId),
    level: levels[check?.severity ?? ''] ?? 'note',
    message: { text: `${check?.name || ruleId} at ${address}${port ? `, port ${port}` : ''}.` },
    locations: [{ physicalLocation: { artifactLocation: { uri } } }],
    partialFingerprints: { 'glacis/v1': `${ruleId}|${address}|${location}` },
    properties: { threat, severity: check?.severity ?? 'unknown', quality, evidence: finding.evidence.slice(0, 4000) },
  }
}

/** `https://192.0.2.1:443/.env` for the web, `tcp://192.0.2.1:6379` for anything else. */
function uriOf({ address, port, location }: Finding, scheme: string): string {
  const host = address.includes(':') ? `[${address}]` : address
  const path = /^\d+(\/\S*)/.exec(location)?.[1] ?? ''
  return `${scheme}://${host}${port ? `:${port}` : ''}${scheme.startsWith('http') ? encoded(path) : ''}`
}

/** A path as it was asked for: what is encoded in it already stays as it is. */
function encoded(path: string): string {
  return encodeURI(path).replaceAll(/%25(?=[0-9a-f]{2})/gi, '%')
}
