import { readLocation } from '@glacis/contract/location'
import { coverageNotes } from '#scans/coverage-notes.ts'
import type { Checks, Finding, HostObservation } from '#commands/scan/result.ts'

const severities = ['critical', 'high', 'medium', 'low', 'info', 'unknown']

/** Human-readable report: per host, open ports, software, and findings, most severe first. */
export function textReport(observations: readonly HostObservation[], checks: Checks): string {
  const addresses = new Set(
    observations.flatMap((item) => (item.kind === 'service' || item.kind === 'finding' ? item.address : [])),
  )
  const lines = new Map([...addresses].map((address) => [address, findingLines(address, observations, checks)]))
  const hosts = [...lines].map(([address, found]) => hostText(address, observations, found))
  const problems = observations.flatMap((item) => (item.kind === 'problem' ? `Note: ${item.message}\n` : []))
  const findings = lines.values().reduce((sum, found) => sum + found.length, 0)
  const hostCount = observations.filter((item) => item.kind === 'host').length
  const unreached = addresses.size === 0 ? reasonsText(observations) : []
  const total = `${addresses.size} of ${hostCount} ${hostCount === 1 ? 'host' : 'hosts'} with services, ${findings} ${findings === 1 ? 'finding' : 'findings'}.\n`
  return [...hosts, ...problems, ...coverageText(observations), ...unreached, total].join('\n')
}

/** Why no host has services, such as "127.0.0.1: no open ports; 1 port refused the connection". */
function reasonsText(observations: readonly HostObservation[]): string[] {
  const byReason = Map.groupBy(
    observations.filter((item) => item.kind === 'host'),
    ({ reason }) => reason,
  )
  const notes = [...byReason].map(([reason, [first, ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    return `Note: ${first?.address}${more}: ${reason}.\n`
  })
  return notes.length > 0 ? [notes.join('')] : []
}

/** Describes what was not run or not reported, and how to permit the checks that were not run. */
function coverageText(observations: readonly HostObservation[]): string[] {
  const notes = coverageNotes(observations).map((note) => `Note: ${note}.\n`)
  const permissions = new Set(observations.flatMap((item) => (item.kind === 'skipped' ? item.permission : [])))
  const options = [...permissions].map((permission) => `--allow ${permission}`).join(' ')
  if (options) notes.push(`To run intrusive checks too, add ${options}.\n`)
  return notes.length > 0 ? [notes.join('')] : []
}

function hostText(address: string, observations: readonly HostObservation[], found: readonly string[]): string {
  const name = observations.flatMap((item) => (item.kind === 'host' && item.address === address ? item.names : []))[0]
  const services = observations.filter((item) => item.kind === 'service' && item.address === address)
  const lines = services.flatMap((item) => (item.kind === 'service' ? serviceLine(item, observations) : []))
  return `${address}${name && name !== address ? ` (${name})` : ''}\n${[...lines, ...found].join('\n')}\n`
}

function serviceLine(
  service: Extract<HostObservation, { kind: 'service' }>,
  observations: readonly HostObservation[],
): string {
  const { address, port, transport, protocol, tls } = service
  const software = observations.flatMap((item) => {
    const isOfHost =
      item.kind === 'technology' && item.address === address && item.port === port && item.transport === transport
    if (!isOfHost || item.wfn.part === 'o') return []
    return item.wfn.version === '*'
      ? item.name
      : `${item.name} ${item.wfn.version}${item.wfn.update.replace(/^\*$/, '')}`
  })
  const protocolName = `${protocol || 'unknown'}${tls ? ' over TLS' : ''}`
  return `  ${`${port}/${transport}`.padEnd(10)} ${protocolName.padEnd(14)} ${software.join(', ')}`.trimEnd()
}

/** Most severe first. A check that proves its weakness in two ways has two findings, but one line. */
function findingLines(address: string, observations: readonly HostObservation[], checks: Checks): readonly string[] {
  const findings = observations.filter((item): item is Finding => item.kind === 'finding' && item.address === address)
  const rank = ({ check }: Finding) => severities.indexOf(checks.get(check)?.severity ?? 'unknown')
  const sorted = findings.toSorted((a, b) => rank(a) - rank(b))
  return [...new Set(sorted.map((item) => findingLine(item, placeOf(item, observations), checks)))]
}

/** Where a weakness is: at a URL for web servers, so that it can be opened; otherwise on a port. */
function placeOf({ address, port, location }: Finding, observations: readonly HostObservation[]): string {
  const service = observations.find(
    (item) => item.kind === 'service' && item.transport === 'tcp' && item.address === address && item.port === port,
  )
  const { path = '', host, detail } = readLocation(location) ?? {}
  if (service?.kind !== 'service' || service.protocol !== 'http' || path === '') return `on port ${location}`
  const ownName = address.includes(':') ? `[${address}]` : address
  const isDefault = port === (service.tls ? 443 : 80)
  const url = `${service.tls ? 'https' : 'http'}://${host || ownName}${isDefault ? '' : `:${port}`}${path}`
  return `at ${url}${detail ? ` (${detail})` : ''}`
}

function findingLine({ check, quality }: Finding, place: string, checks: Checks): string {
  const { severity = 'unknown', name = check } = checks.get(check) ?? {}
  const proof = quality >= 95 ? '' : `  (quality ${quality})`
  return `  ${severity.toUpperCase().padEnd(10)} ${name}  [${check}]  ${place}${proof}`
}
