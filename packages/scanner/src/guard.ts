import type { ScanJob } from '@glacis/contract/runner'
import {
  inNetworks,
  metadataNetworks,
  networksOf,
  parseIp,
  reachedThrough,
  unusableNetworks,
  type Ip,
  type Network,
} from '#ip.ts'

/**
 * Checks every connection against the scan's scope. Pass the resolved address and dial exactly that
 * address.
 */
export interface Guard {
  /** Null when the address and port may be dialed; otherwise the reason. */
  denialReason(address: string, port: number): string | null
}

/**
 * The scope of one scan. Checks in this order: invalid addresses, globally blocked addresses (cloud
 * metadata, multicast, "this host"), the job's `deny`, then its `allow`.
 *
 * @throws when `allow` or `deny` contains an invalid entry: a scope is never applied partially
 */
export function createGuard(job: Pick<ScanJob, 'allow' | 'deny'>): Guard {
  const allowed = networksOf(job.allow)
  const deny = job.deny ?? []
  const denied = networksOf(deny.filter((text) => !endpoint(text)))
  const endpoints = new Set(deny.flatMap((text) => endpoint(text) ?? []))
  // A sweep checks the same address a thousand times with different ports.
  const judged = new Map<string, Verdict>()

  function judge(address: string): Verdict {
    const ip = parseIp(address)
    if (!ip) return { reason: `${address} is not an IP address`, reached: [] }
    const reached = reachedThrough(ip)
    return { reason: reasonAgainst(address, ip, reached), reached }
  }
  function reasonAgainst(address: string, ip: Ip, reached: readonly Ip[]): string | null {
    if (some(reached, metadataNetworks)) return `${address} is a cloud metadata address, which is never scanned`
    if (some(reached, unusableNetworks)) return `${address} does not identify a single host`
    if (some(reached, denied)) return `${address} is excluded`
    return inNetworks(ip, allowed) ? null : `${address} is outside the target`
  }

  function remember(address: string): Verdict {
    const verdict = judge(address)
    if (judged.size >= judgedMax) judged.clear()
    judged.set(address, verdict)
    return verdict
  }

  return {
    denialReason(address, port) {
      const verdict = judged.get(address) ?? remember(address)
      if (verdict.reason !== null) return verdict.reason
      if (!Number.isInteger(port) || port < 1 || port > 65_535) return `${port} is not a valid port`
      const isDenied = endpoints.size > 0 && verdict.reached.some((address) => endpoints.has(key(address, port)))
      return isDenied ? `port ${port} of ${address} is excluded` : null
    },
  }
}

interface Verdict {
  readonly reason: string | null
  readonly reached: readonly Ip[]
}
const judgedMax = 4096

function some(ips: readonly Ip[], networks: readonly Network[]): boolean {
  return ips.some((ip) => inNetworks(ip, networks))
}

/** Lookup key for `10.0.0.1:5432` and `[fd00::1]:5432`. */
function endpoint(text: string): string | null {
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const ip = parseIp(v6 ?? v4 ?? '')
  return ip && port ? key(ip, Number(port)) : null
}

function key(ip: Ip, port: number): string {
  return `${ip.family}/${ip.value}/${port}`
}
