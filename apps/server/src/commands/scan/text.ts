import type { Checks, Finding, HostObservation } from '#commands/scan/result.ts'

const severities = ['critical', 'high', 'medium', 'low', 'info', 'unknown']

/** Human-readable report: per host, open ports, software, and findings, most severe first. */
export function textReport(seen: readonly HostObservation[], checks: Checks): string {
  const addresses = new Set(
    seen.flatMap((one) => (one.kind === 'service' || one.kind === 'finding' ? one.address : [])),
  )
  const hosts = [...addresses].map((address) => hostText(address, seen, checks))
  const problems = seen.flatMap((one) => (one.kind === 'problem' ? `Note: ${one.message}\n` : []))
  const findings = seen.filter((one) => one.kind === 'finding').length
  const asked = seen.filter((one) => one.kind === 'host').length
  const total = `${addresses.size} of ${asked} ${asked === 1 ? 'host' : 'hosts'} with services, ${findings} ${findings === 1 ? 'finding' : 'findings'}.\n`
  return [...hosts, ...problems, total].join('\n')
}

function hostText(address: string, seen: readonly HostObservation[], checks: Checks): string {
  const name = seen.flatMap((one) => (one.kind === 'host' && one.address === address ? one.names : []))[0]
  const services = seen.filter((one) => one.kind === 'service' && one.address === address)
  const lines = services.flatMap((one) => (one.kind === 'service' ? serviceLine(one, seen) : []))
  const findings = seen.filter((one): one is Finding => one.kind === 'finding' && one.address === address)
  const rank = ({ check }: Finding) => severities.indexOf(checks.get(check)?.severity ?? 'unknown')
  const found = findings.toSorted((a, b) => rank(a) - rank(b)).map((one) => findingLine(one, checks))
  return `${address}${name && name !== address ? ` (${name})` : ''}\n${[...lines, ...found].join('\n')}\n`
}

function serviceLine(service: Extract<HostObservation, { kind: 'service' }>, seen: readonly HostObservation[]): string {
  const { address, port, transport, protocol, tls } = service
  const software = seen.flatMap((one) => {
    const isHere =
      one.kind === 'technology' && one.address === address && one.port === port && one.transport === transport
    if (!isHere || one.wfn.part === 'o') return []
    return one.wfn.version === '*' ? one.name : `${one.name} ${one.wfn.version}${one.wfn.update.replace(/^\*$/, '')}`
  })
  const protocolName = `${protocol || 'unknown'}${tls ? ' over TLS' : ''}`
  return `  ${`${port}/${transport}`.padEnd(10)} ${protocolName.padEnd(14)} ${software.join(', ')}`.trimEnd()
}

function findingLine({ check, location, quality }: Finding, checks: Checks): string {
  const { severity = 'unknown', name = check } = checks.get(check) ?? {}
  const proof = quality >= 95 ? '' : `  (quality ${quality})`
  return `  ${severity.toUpperCase().padEnd(10)} ${name}  [${check}]  at ${location}${proof}`
}
