import type { ScanHost, ScanJob } from '@glacis/contract/runner'
import { denials, type Exclusion, isProblem, parseAddress, parseExclusion, parsePorts } from '@glacis/scanner'
import type { TargetTable } from '#database/tables.ts'
import { isPermittedIn, type ScanNetworks } from '#scan-networks.ts'
import type { Selectable } from 'kysely'

/** The columns of a target that a job needs. */
export type JobTarget = Pick<
  Selectable<TargetTable>,
  'address' | 'exclusions' | 'profile' | 'permissions' | 'ports' | 'rate_per_host'
>

/** Installation-wide limits, which apply to all targets. */
export interface ScanLimits {
  readonly networks: ScanNetworks
  /** `address:port` of all sockets this installation listens on. */
  readonly ownEndpoints: readonly string[]
}

/** Builds the job of one batch: hosts, settings, and restrictions. */
export function jobOf(limits: ScanLimits, hosts: readonly ScanHost[], target: JobTarget): ScanJob {
  const address = parseAddress(target.address)
  const url = isProblem(address) ? undefined : address.url
  const exclusions = exclusionsOf(target)
  const addresses = hosts.map((host) => host.address)
  const ports = url ? [url.port] : portsOf(target, exclusions)
  return {
    hosts: [...hosts],
    profile: target.profile,
    ...(target.permissions.length > 0 && { permissions: target.permissions }),
    ...(target.rate_per_host !== null && { ratePerHost: target.rate_per_host }),
    ...(ports && { ports }),
    ...(url && { basePath: url.path }),
    allow: addresses.filter(isPermittedIn(limits.networks)),
    deny: [...limits.ownEndpoints, ...denials(exclusions, addresses)],
  }
}

/** The parsed exclusions of a target. They were validated when they were stored. */
export function exclusionsOf({ exclusions }: Pick<JobTarget, 'exclusions'>): Exclusion[] {
  return exclusions.map((text) => {
    const exclusion = parseExclusion(text)
    // An invalid exclusion fails the job: skipping it would scan excluded addresses.
    if ('problem' in exclusion) throw new Error(`invalid exclusion '${text}': ${exclusion.problem}`)
    return exclusion
  })
}

/** Undefined for the common ports, in the scanner's own order. */
function portsOf(target: JobTarget, exclusions: readonly Exclusion[]): number[] | undefined {
  const everywhere = new Set(exclusions.flatMap((item) => (item.networks.length === 0 && item.port ? [item.port] : [])))
  if (target.ports === '' && everywhere.size === 0) return undefined
  const list = parsePorts(target.ports)
  if ('problem' in list) throw new Error(`invalid ports '${target.ports}': ${list.problem}`)
  return list.ports.filter((port) => !everywhere.has(port))
}
