/** State of one host during a sweep, and its next ports. */
import { bucketOf, refill, type Bucket } from '#bucket.ts'

/** Ports to sweep on one host. The guard has already approved them. */
export interface SweepOrder {
  readonly id: number
  readonly address: string
  /** In scan order; the first `headCount` decide whether the host is up. */
  readonly ports: readonly number[]
  readonly headCount: number
  /** Ports scanned on a host that was silent on the head. */
  readonly silentPortsMax: number
  readonly pace: SweepPace
}
export interface SweepPace {
  readonly perSecond: number
  readonly burst: number
  readonly inFlightMax: number
  readonly deadlineMs: number
}
export interface SweepReply {
  readonly id: number
  readonly open: readonly number[]
  readonly closed: number
  readonly filtered: number
  readonly unknown: number
  readonly answersEverything: boolean
  /** Local error codes, such as EMFILE, and their counts. */
  readonly localErrors: Readonly<Record<string, number>>
}
export interface Host {
  readonly order: SweepOrder
  readonly bucket: Bucket
  /** Shared by the hosts of one network. */
  readonly network: Bucket
  readonly startedAt: number
  queue: number[]
  next: number
  inFlight: number
  pass: 'head' | 'all' | 'retry'
  retries: number[]
  attempts: Map<number, number>
  open: number[]
  closed: number
  filtered: number
  unknown: number
  localErrors: Record<string, number>
  srttMs: number
  rttvarMs: number
}
/** Timeouts in milliseconds (RFC 6298 estimate within these bounds). */
const timeoutFirstMs = 1000
const timeoutMinMs = 250
const timeoutMaxMs = 3000
const silentTimeoutMs = 750
const retriesMax = 1000
/** More open ports than this share, with at least that many probed, indicate a proxy or tarpit. */
const tarpitShare = 0.6
const tarpitProbedMin = 100
const tarpitProbedEnough = 1000

/** After this many undecided ports without a response, the rest of the host is skipped. */
const unreachableAfterPorts = 3

/** Initial state of a host. */
export function createHost(order: SweepOrder, network: Bucket = bucketOf(Infinity, Infinity)): Host {
  const now = performance.now()
  return {
    order,
    bucket: bucketOf(order.pace.perSecond, order.pace.burst),
    network,
    startedAt: now,
    queue: order.ports.slice(0, order.headCount),
    next: 0,
    inFlight: 0,
    pass: 'head',
    retries: [],
    attempts: new Map(),
    open: [],
    closed: 0,
    filtered: 0,
    unknown: 0,
    localErrors: {},
    srttMs: 0,
    rttvarMs: 0,
  }
}

/** Whether the host has ports left and its limits allow another connect. */
export function canConnect(host: Host, now: number): boolean {
  if (host.next >= host.queue.length || host.inFlight >= host.order.pace.inFlightMax) return false
  refill(host.bucket, now)
  refill(host.network, now)
  return host.bucket.tokens >= 1 && host.network.tokens >= 1
}

/** Reserves one connect in the rates of the host and its network. */
export function consumeRate(host: Host): void {
  host.bucket.tokens--
  host.network.tokens--
}

/**
 * The network whose routers an address shares with its neighbors: /24 in IPv4, /64 in IPv6 as
 * written.
 */
export function networkOf(address: string): string {
  return address.includes(':') ? address.split(':').slice(0, 4).join(':') : address.replace(/\.\d+$/, '')
}

/** Records a port's state; silent ports are retried in a second pass. */
export function recordAttempt(host: Host, port: number, state: 'open' | 'closed' | 'filtered', tookMs: number): void {
  if (state === 'filtered') {
    if (host.pass === 'retry' || host.retries.length >= retriesMax) host.filtered++
    else host.retries.push(port)
    return
  }
  if (state === 'open') host.open.push(port)
  else host.closed++
  updateRoundTripTime(host, tookMs)
}

function updateRoundTripTime(host: Host, tookMs: number): void {
  if (host.srttMs === 0) {
    host.srttMs = tookMs
    host.rttvarMs = tookMs / 2
    return
  }
  host.rttvarMs = 0.75 * host.rttvarMs + 0.25 * Math.abs(host.srttMs - tookMs)
  host.srttMs = 0.875 * host.srttMs + 0.125 * tookMs
}

function hasResponded(host: Host): boolean {
  return host.open.length + host.closed > 0
}

/** Timeout of the next connect to the host, in milliseconds. */
export function timeoutOf(host: Host): number {
  if (!hasResponded(host)) return host.pass === 'head' ? timeoutFirstMs : silentTimeoutMs
  const estimate = Math.min(timeoutMaxMs, Math.max(timeoutMinMs, host.srttMs + 4 * host.rttvarMs))
  return host.pass === 'retry' ? Math.min(timeoutMaxMs, estimate * 2) : estimate
}

/**
 * Starts the next pass; nothing remains when the host is done. A silent host gets one short attempt
 * per port. A responding host gets a second attempt for its silent ports.
 */
export function nextPass(host: Host): number[] {
  const { ports, headCount, silentPortsMax, pace } = host.order
  const isLate = performance.now() - host.startedAt > pace.deadlineMs || isUnreachable(host)
  if (host.pass === 'head') {
    host.pass = 'all'
    const rest = ports.slice(headCount, hasResponded(host) ? undefined : silentPortsMax)
    if (!isLate && rest.length > 0) return rest
    if (isLate) host.unknown += rest.length
  }
  if (host.pass === 'all') {
    host.pass = 'retry'
    const retries = host.retries
    host.retries = []
    if (hasResponded(host) && !isLate && !isTarpit(host) && retries.length > 0) return retries
    host.filtered += retries.length
  }
  return []
}

function probedCount(host: Host): number {
  return host.open.length + host.closed + host.filtered + host.retries.length
}

function isTarpit(host: Host): boolean {
  return probedCount(host) >= tarpitProbedMin && host.open.length > probedCount(host) * tarpitShare
}

function isUnreachable(host: Host): boolean {
  return host.unknown >= unreachableAfterPorts && probedCount(host) === 0
}

/** Whether to skip the remaining ports: no time, no route, or nothing to learn. */
export function shouldSkipRest(host: Host, now: number): boolean {
  if (host.next >= host.queue.length) return false
  if (now - host.startedAt > host.order.pace.deadlineMs || isUnreachable(host)) return true
  return probedCount(host) >= tarpitProbedEnough && isTarpit(host)
}

/** The host's totals. */
export function replyOf(host: Host): SweepReply {
  return {
    id: host.order.id,
    open: host.open,
    closed: host.closed,
    filtered: host.filtered,
    unknown: host.unknown,
    answersEverything: isTarpit(host),
    localErrors: host.localErrors,
  }
}
