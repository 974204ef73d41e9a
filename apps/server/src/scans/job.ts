import type { ScanHost, ScanJob } from '@glacis/contract/runner'
import {
  createGuard,
  denials,
  type Exclusion,
  isProblem,
  isPublicAddress,
  parseAddress,
  parseExclusion,
  parsePorts,
} from '@glacis/scanner'
import type { TargetTable } from '#database/tables.ts'
import type { Selectable } from 'kysely'

/** What of a target a job is made of. */
export type JobTarget = Pick<Selectable<TargetTable>, 'address' | 'exclusions' | 'profile' | 'ports' | 'rate_per_host'>

/** What this installation may touch, whatever the target says. */
export interface Reach {
  /** Networks that may be touched at all. */
  readonly networks: 'all' | 'public' | readonly string[]
  /** `address:port` of everything that this installation itself listens on. */
  readonly ownEndpoints: readonly string[]
}

/** The job of one batch: its hosts, how to ask them, and what must not be touched. */
export function jobOf(reach: Reach, hosts: readonly ScanHost[], target: JobTarget): ScanJob {
  const address = parseAddress(target.address)
  const url = isProblem(address) ? undefined : address.url
  const exclusions = exclusionsOf(target)
  const addresses = hosts.map((host) => host.address)
  const ports = url ? [url.port] : portsOf(target, exclusions)
  return {
    hosts: [...hosts],
    profile: target.profile,
    ...(target.rate_per_host !== null && { ratePerHost: target.rate_per_host }),
    ...(ports && { ports }),
    ...(url && { basePath: url.path }),
    allow: addresses.filter((one) => mayTouch(reach.networks, one)),
    deny: [...reach.ownEndpoints, ...denials(exclusions, addresses)],
  }
}

/** The exclusions of a target, read. They were understood when they were stored. */
export function exclusionsOf({ exclusions }: Pick<JobTarget, 'exclusions'>): Exclusion[] {
  return exclusions.map((text) => {
    const exclusion = parseExclusion(text)
    // A scope is understood whole or not at all.
    if ('problem' in exclusion) throw new Error(`the exclusion '${text}' is not understood: ${exclusion.problem}`)
    return exclusion
  })
}

/** Undefined for the common ports, in the order in which the scanner likes to ask them. */
function portsOf(target: JobTarget, exclusions: readonly Exclusion[]): number[] | undefined {
  const everywhere = new Set(exclusions.flatMap((one) => (one.networks.length === 0 && one.port ? [one.port] : [])))
  if (target.ports === '' && everywhere.size === 0) return undefined
  const list = parsePorts(target.ports)
  if ('problem' in list) throw new Error(`the ports '${target.ports}' are not understood: ${list.problem}`)
  return list.ports.filter((port) => !everywhere.has(port))
}

/** Whether this installation may touch an address at all; the guard then says so before every connect. */
function mayTouch(networks: Reach['networks'], address: string): boolean {
  if (networks === 'all') return true
  if (networks === 'public') return isPublicAddress(address)
  return createGuard({ allow: [...networks], deny: [] }).refusal(address, 443) === null
}
