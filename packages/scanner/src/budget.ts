import { setTimeout as delay } from 'node:timers/promises'
import type { ScanProfile } from '@glacis/contract/runner'

/** Resource limits of one scan. Rates are per second, times in milliseconds. */
export interface Limits {
  /** Port sweep threads. */
  readonly sweepWorkers: number
  /** Port sweep connection rate across all hosts of the job. */
  readonly sweepPerSecond: number
  /**
   * Connection rate per network (/24, or /64 for IPv6). Limits the load on stateful routers and
   * firewalls.
   */
  readonly sweepPerNetworkPerSecond: number
  readonly sweepPerHostPerSecond: number
  readonly sweepPerHostInFlight: number
  readonly sweepInFlight: number
  /** Ports of a host not probed by then are reported as unknown. */
  readonly sweepHostDeadlineMs: number
  /** Ports probed on a host that was silent on all of the most common ports. */
  readonly silentPortsMax: number
  /** Concurrent hosts in any stage. */
  readonly hostsInParallel: number
  /** Concurrent hosts in identification or checks. */
  readonly hostsExamined: number
  /** Requests and banner connections, across all hosts and per host. */
  readonly requestsPerSecond: number
  readonly requestsPerHostPerSecond: number
  readonly connectionsPerHost: number
  /** Maximum number of open ports identified per host. */
  readonly portsIdentifiedMax: number
  /** Deadline for identification and checks of one host together. */
  readonly hostDeadlineMs: number
}

const gentle: Limits = {
  sweepWorkers: 2,
  sweepPerSecond: 10_000,
  sweepPerNetworkPerSecond: 5000,
  sweepPerHostPerSecond: 800,
  sweepPerHostInFlight: 32,
  sweepInFlight: 2000,
  sweepHostDeadlineMs: 15 * 60_000,
  silentPortsMax: 1000,
  hostsInParallel: 128,
  hostsExamined: 32,
  requestsPerSecond: 1000,
  // A slow host gets fewer, because its concurrent connections are limited too.
  requestsPerHostPerSecond: 250,
  connectionsPerHost: 4,
  portsIdentifiedMax: 100,
  hostDeadlineMs: 15 * 60_000,
}

/**
 * Gentle is the default and safe for production networks. Deep is for hosts that tolerate a high
 * load. Profiles only set the pace: all run the same checks.
 */
export const limitsByProfile: Readonly<Record<ScanProfile, Limits>> = {
  gentle,
  standard: {
    ...gentle,
    sweepPerSecond: 20_000,
    sweepPerNetworkPerSecond: 10_000,
    sweepPerHostPerSecond: 1200,
    sweepPerHostInFlight: 64,
    requestsPerSecond: 2000,
    requestsPerHostPerSecond: 500,
    connectionsPerHost: 8,
  },
  deep: {
    ...gentle,
    sweepPerSecond: 40_000,
    sweepPerNetworkPerSecond: 20_000,
    sweepPerHostPerSecond: 2000,
    sweepPerHostInFlight: 128,
    requestsPerSecond: 3000,
    requestsPerHostPerSecond: 1000,
    connectionsPerHost: 12,
    hostDeadlineMs: 60 * 60_000,
  },
}

/** Rate limiter for connections and requests, across the scan and per host. */
export interface Budget {
  /** Resolves when another request to the host is allowed. Rejects with the signal's reason. */
  take(address: string, signal: AbortSignal): Promise<void>
}

/** Token buckets with a burst of a tenth of a second and a FIFO queue: one timer, no starvation. */
export function createBudget(limits: Pick<Limits, 'requestsPerSecond' | 'requestsPerHostPerSecond'>): Budget {
  const shared = createPacer(limits.requestsPerSecond)
  const byHost = new Map<string, Pacer>()
  return {
    async take(address, signal) {
      const host = byHost.get(address) ?? createPacer(limits.requestsPerHostPerSecond)
      byHost.set(address, host)
      const now = performance.now()
      const waitMs = Math.max(host.reserve(now), shared.reserve(now))
      if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted())
      signal.throwIfAborted()
      if (byHost.size > hostsRemembered) forget(byHost)
    },
  }
}

interface Pacer {
  /** Time until the next request may be sent, in milliseconds. Reserves its slot immediately. */
  reserve(now: number): number
  isIdle(now: number): boolean
}
const burstMs = 100
const hostsRemembered = 4096

function createPacer(perSecond: number): Pacer {
  const stepMs = 1000 / perSecond
  let nextAt = -Infinity
  return {
    reserve(now) {
      const at = Math.max(nextAt, now - burstMs)
      nextAt = at + stepMs
      return Math.max(0, at - now)
    },
    isIdle: (now) => nextAt < now - burstMs,
  }
}

function forget(byHost: Map<string, Pacer>): void {
  const now = performance.now()
  for (const [address, pacer] of byHost) if (pacer.isIdle(now)) byHost.delete(address)
}
