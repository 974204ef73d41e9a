/** Schedules port probes across many hosts. Connectors implement the connects. */
import { bucketOf, refill, type Bucket } from '#bucket.ts'
import { localError } from '#net/local-errors.ts'
import {
  createHost,
  shouldSkipRest,
  canConnect,
  networkOf,
  nextPass,
  recordAttempt,
  replyOf,
  consumeRate,
  timeoutOf,
  type Host,
  type SweepOrder,
  type SweepReply,
} from '#sweep-host.ts'

/** State shared by all hosts of one loop. */
export interface SweepSettings {
  readonly inFlightMax: number
  readonly perSecond: number
  /** Across all hosts of one network. */
  readonly perNetworkPerSecond: number
}

/** A pending connect. Times are values of `performance.now()`. */
export interface Attempt {
  readonly host: Host
  readonly port: number
  readonly startedAt: number
  readonly deadlineAt: number
}

/**
 * Called once per attempt: empty when connected, otherwise the error code, such as ECONNREFUSED.
 */
export type Settled = (attempt: Attempt, code: string) => void

/**
 * Makes concurrent connects and reports their results; the only part that differs between engines.
 */
export interface Connector {
  /** Starts a connect. Its result may be reported before this returns. */
  begin(attempt: Attempt): void
  /**
   * Cancels a connect that timed out: reported as ETIMEDOUT unless its response has already
   * arrived.
   */
  cancel(attempt: Attempt): void
  /** Nothing is pending: releases cached sockets. */
  releaseSockets(): void
}

export interface Sweep {
  /** Adds a host; its reply is sent when all its ports are decided. */
  add(order: SweepOrder): void
}

type PortState = 'open' | 'closed' | 'filtered' | 'local'

const tickMs = 20
const localAttemptsMax = 5
const windowMin = 16
const pauseMs = 100
/** Connects started in one batch before yielding to the event loop. */
const begunAtOnce = 1000

/** @param finish receives each host's reply in order of completion */
export function createSweep(
  settings: SweepSettings,
  connectorFor: (settled: Settled) => Connector,
  finish: (reply: SweepReply) => void,
): Sweep {
  const hosts: Host[] = []
  const networks = new Map<string, Bucket>()
  const attempts = new Set<Attempt>()
  const shared = bucketOf(settings.perSecond, settings.perSecond * 0.05)
  const connector = connectorFor(settle)
  let window = settings.inFlightMax
  let pausedUntil = 0
  let timer: NodeJS.Timeout | undefined
  let isPumpDue = false
  let tickedAt = performance.now()
  let wasStalled = false

  function add(order: SweepOrder): void {
    const name = networkOf(order.address)
    const rate = settings.perNetworkPerSecond
    const network = networks.get(name) ?? bucketOf(rate, rate * 0.05)
    networks.set(name, network)
    hosts.push(createHost(order, network))
    timer ??= setInterval(tick, tickMs)
    pumpSoon()
  }

  function tick(): void {
    const now = performance.now()
    // After a stall, responses wait unread in the kernel: read them once before applying deadlines.
    wasStalled = !wasStalled && now - tickedAt > tickMs * 4
    tickedAt = now
    if (!wasStalled) for (const attempt of attempts) if (attempt.deadlineAt <= now) connector.cancel(attempt)
    for (const host of hosts.filter((host) => shouldSkipRest(host, now))) skipRest(host)
    pumpSoon()
  }

  /** Responses arrive in batches: start new connects once per batch. */
  function pumpSoon(): void {
    if (isPumpDue) return
    isPumpDue = true
    setImmediate(pump)
  }

  /**
   * Assigns connects until a limit is reached, to the oldest hosts first: they are then examined while the others are
   * swept. If they took turns, all would be done at the same time.
   */
  function pump(): void {
    const now = performance.now()
    refill(shared, now)
    let started = 0
    const mayStart = () => attempts.size < window && shared.tokens >= 1 && now >= pausedUntil && started < begunAtOnce
    for (const host of hosts.filter((item) => canConnect(item, now))) {
      while (mayStart() && canConnect(host, now)) {
        probe(host, now)
        started++
      }
    }
    isPumpDue = false
    if (started >= begunAtOnce) pumpSoon()
  }

  function probe(host: Host, now: number): void {
    const port = host.queue[host.next++] ?? 0
    shared.tokens--
    consumeRate(host)
    host.inFlight++
    const attempt = { host, port, startedAt: now, deadlineAt: now + timeoutOf(host) }
    attempts.add(attempt)
    connector.begin(attempt)
  }

  function settle(attempt: Attempt, code: string): void {
    if (!attempts.delete(attempt)) return
    const { host, port } = attempt
    const state = stateOf(code)
    host.inFlight--
    if (state === 'local') backOff(host, port, code)
    else recordAttempt(host, port, state, performance.now() - attempt.startedAt)
    if (state !== 'local' && window < settings.inFlightMax) window++
    if (host.inFlight === 0 && host.next >= host.queue.length) advance(host)
    pumpSoon()
  }

  function skipRest(host: Host): void {
    host.unknown += host.queue.length - host.next
    host.next = host.queue.length
    if (host.inFlight === 0) advance(host)
  }

  /** A local error implies nothing about the port: retry later with fewer sockets. */
  function backOff(host: Host, port: number, code: string): void {
    host.localErrors[code] = (host.localErrors[code] ?? 0) + 1
    const tried = localError(code) === 'route' ? localAttemptsMax : (host.attempts.get(port) ?? 0) + 1
    host.attempts.set(port, tried)
    if (tried < localAttemptsMax) host.queue.push(port)
    else host.unknown++
    if (localError(code) === 'route') return
    window = Math.max(windowMin, Math.floor(window / 2))
    pausedUntil = performance.now() + pauseMs
  }

  function advance(host: Host): void {
    const more = nextPass(host)
    if (more.length > 0) {
      host.queue = more
      host.next = 0
      return
    }
    hosts.splice(hosts.indexOf(host), 1)
    finish(replyOf(host))
    if (hosts.length === 0) {
      networks.clear()
      connector.releaseSockets()
      clearInterval(timer)
      timer = undefined
    }
  }

  return { add }
}

function stateOf(code: string): PortState {
  // The handshake completed, even if the peer reset the connection before we saw it.
  if (code === '' || code === 'ECONNRESET') return 'open'
  if (code === 'ECONNREFUSED') return 'closed'
  return localError(code) ? 'local' : 'filtered'
}
