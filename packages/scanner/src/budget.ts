import { setTimeout as delay } from 'node:timers/promises'
import type { ScanProfile } from '@glacis/contract/runner'

/** What one scan may use. Rates are per second, times in milliseconds, bytes and counts as named. */
export interface Limits {
  /** Threads that sweep ports. */
  readonly sweepWorkers: number
  /** Connects of the port sweep, over all hosts of the job. */
  readonly sweepPerSecond: number
  /** Connects towards one network (/24, or /64 of IPv6), whose routers and firewalls must remember each of them. */
  readonly sweepPerNetworkPerSecond: number
  readonly sweepPerHostPerSecond: number
  readonly sweepPerHostInFlight: number
  readonly sweepInFlight: number
  /** After this the ports of a host that were not asked yet stay undecided. */
  readonly sweepHostDeadlineMs: number
  /** Ports asked of a host that answered on none of the likeliest ones. */
  readonly silentPortsMax: number
  /** Hosts under way in any stage. */
  readonly hostsInParallel: number
  /** Hosts that are identified or checked at one time. */
  readonly hostsExamined: number
  /** Requests and banner connections over all hosts, and towards one host. */
  readonly requestsPerSecond: number
  readonly requestsPerHostPerSecond: number
  readonly connectionsPerHost: number
  /** Open ports of one host that are identified. */
  readonly portsIdentifiedMax: number
  /** Identifying and checking one host, together. */
  readonly hostDeadlineMs: number
}

const gentle: Limits = {
  sweepWorkers: 2,
  sweepPerSecond: 10_000,
  sweepPerNetworkPerSecond: 4000,
  sweepPerHostPerSecond: 100,
  sweepPerHostInFlight: 32,
  sweepInFlight: 2000,
  sweepHostDeadlineMs: 15 * 60_000,
  silentPortsMax: 1000,
  hostsInParallel: 128,
  hostsExamined: 24,
  requestsPerSecond: 600,
  requestsPerHostPerSecond: 50,
  connectionsPerHost: 4,
  portsIdentifiedMax: 100,
  hostDeadlineMs: 15 * 60_000,
}

/** Gentle is the default and meant for production networks; deep expects hosts that bear it. */
export const limitsByProfile: Readonly<Record<ScanProfile, Limits>> = {
  gentle,
  standard: {
    ...gentle,
    sweepPerSecond: 20_000,
    sweepPerNetworkPerSecond: 10_000,
    sweepPerHostPerSecond: 400,
    sweepPerHostInFlight: 64,
    requestsPerSecond: 1500,
    requestsPerHostPerSecond: 150,
    connectionsPerHost: 8,
  },
  deep: {
    ...gentle,
    sweepPerSecond: 40_000,
    sweepPerNetworkPerSecond: 20_000,
    sweepPerHostPerSecond: 1000,
    sweepPerHostInFlight: 128,
    requestsPerSecond: 3000,
    requestsPerHostPerSecond: 300,
    connectionsPerHost: 12,
    hostDeadlineMs: 60 * 60_000,
  },
}

/** Rate of connections and requests: over the whole scan and towards each host. */
export interface Budget {
  /** Resolves when one more may go to the host. Rejects with the signal's reason. */
  take(address: string, signal: AbortSignal): Promise<void>
}

/**
 * Token buckets that let through a tenth of a second at once and queue the rest in order, so that
 * waiting costs one timer and nobody starves.
 */
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
  /** How long the next one must wait, in milliseconds; its place is taken at once. */
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
