/**
 * The sweeping thread: connects to the ports of many hosts at once and tells the states of each host when it
 * is done. Runs in a worker so that thousands of sockets delay nobody else; `ports.ts` starts and stops it.
 */
import { Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'
import { localError } from '#net/local-errors.ts'

/** What one host is asked. The pairs of address and ports have passed the guard. */
export interface SweepOrder {
  readonly id: number
  readonly address: string
  /** In the order of asking; the first `headCount` tell whether the host answers at all. */
  readonly ports: readonly number[]
  readonly headCount: number
  /** Ports asked of a host that answered none of the head. */
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
  /** Codes of errors of this machine, such as EMFILE, and how often each came. */
  readonly localErrors: Readonly<Record<string, number>>
}
/** What all hosts of this thread share. */
export interface WorkerSettings {
  readonly inFlightMax: number
  readonly perSecond: number
}

type PortState = 'open' | 'closed' | 'filtered' | 'local'

interface Bucket {
  readonly perSecond: number
  readonly burst: number
  tokens: number
  filledAt: number
}
interface Host {
  readonly order: SweepOrder
  readonly bucket: Bucket
  readonly startedAt: number
  queue: number[]
  next: number
  inFlight: number
  pass: 'head' | 'all' | 'again'
  again: number[]
  attempts: Map<number, number>
  open: number[]
  closed: number
  filtered: number
  unknown: number
  localErrors: Record<string, number>
  srttMs: number
  rttvarMs: number
}
interface Attempt {
  readonly host: Host
  readonly port: number
  readonly socket: Socket
  readonly startedAt: number
  readonly deadlineAt: number
}

/** Timeouts, in milliseconds (RFC 6298's estimate, within these bounds). */
const timeoutFirstMs = 1000
const timeoutMinMs = 250
const timeoutMaxMs = 3000
const silentTimeoutMs = 750
const tickMs = 20
const localAttemptsMax = 5
const windowMin = 16
const pauseMs = 100
const againMax = 1000
/** More open ports than this share, of at least that many, are a proxy or a tarpit. */
const everythingShare = 0.6
const everythingAsked = 100
const everythingEnough = 1000

/** After so many undecided ports and no answer at all the rest of the host is not asked. */
const hopelessPorts = 3

/** Starts the thread's loop on its message port. */
export function serve(port: NonNullable<typeof parentPort>, settings: WorkerSettings): void {
  // A refused connect makes an error object; its stack is the dearest part of it and nobody reads it.
  Error.stackTraceLimit = 0
  const sweep = createSweep(settings, (reply) => port.postMessage(reply))
  port.on('message', (order: SweepOrder) => sweep.add(order))
}

function createSweep(settings: WorkerSettings, finish: (reply: SweepReply) => void) {
  const hosts: Host[] = []
  const attempts = new Set<Attempt>()
  const shared = bucketOf(settings.perSecond, settings.perSecond * 0.05)
  let window = settings.inFlightMax
  let pausedUntil = 0
  let turn = 0
  let timer: NodeJS.Timeout | undefined
  let isPumping = false
  let tickedAt = performance.now()

  function add(order: SweepOrder): void {
    hosts.push(hostOf(order))
    timer ??= setInterval(tick, tickMs)
    pump()
  }

  function tick(): void {
    const now = performance.now()
    // After a stall the answers wait in the kernel, unread: they come before the deadlines.
    const isStalled = now - tickedAt > tickMs * 4
    tickedAt = now
    if (!isStalled) for (const attempt of attempts) if (attempt.deadlineAt <= now) settle(attempt, 'filtered')
    for (const host of hosts.filter((one) => isOver(one, now))) giveUp(host)
    pump()
  }

  /** Hands out connects round robin, until a limit says stop. */
  function pump(): void {
    if (isPumping) return
    isPumping = true
    const now = performance.now()
    refill(shared, now)
    let idle = 0
    while (attempts.size < window && shared.tokens >= 1 && now >= pausedUntil && idle < hosts.length) {
      const host = hosts[turn++ % hosts.length]
      if (host && mayAsk(host, now)) {
        idle = 0
        ask(host, now)
      } else idle++
    }
    isPumping = false
  }

  function ask(host: Host, now: number): void {
    const port = host.queue[host.next++] ?? 0
    shared.tokens--
    host.bucket.tokens--
    host.inFlight++
    const socket = new Socket()
    const attempt = { host, port, socket, startedAt: now, deadlineAt: now + timeoutOf(host) }
    attempts.add(attempt)
    socket.once('connect', () => settle(attempt, isSelf(socket) ? 'closed' : 'open'))
    socket.once('error', (error: NodeJS.ErrnoException) => settle(attempt, stateOf(error.code), error.code))
    socket.connect({ host: host.order.address, port, autoSelectFamily: false })
  }

  function settle(attempt: Attempt, state: PortState, code = ''): void {
    if (!attempts.delete(attempt)) return
    const { host, port, socket } = attempt
    host.inFlight--
    if (state === 'open' && code === '') socket.resetAndDestroy()
    else if (!socket.destroyed) socket.destroy()
    if (state === 'local') backOff(host, port, code)
    else note(host, port, state, performance.now() - attempt.startedAt)
    if (state !== 'local' && window < settings.inFlightMax) window++
    if (host.inFlight === 0 && host.next >= host.queue.length) advance(host)
    pump()
  }

  function giveUp(host: Host): void {
    host.unknown += host.queue.length - host.next
    host.next = host.queue.length
    if (host.inFlight === 0) advance(host)
  }

  /** An error of this machine says nothing of the port: ask again later, with fewer sockets. */
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
      clearInterval(timer)
      timer = undefined
    }
  }

  return { add }
}

function hostOf(order: SweepOrder): Host {
  const now = performance.now()
  return {
    order,
    bucket: bucketOf(order.pace.perSecond, order.pace.burst),
    startedAt: now,
    queue: order.ports.slice(0, order.headCount),
    next: 0,
    inFlight: 0,
    pass: 'head',
    again: [],
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

function mayAsk(host: Host, now: number): boolean {
  if (host.next >= host.queue.length || host.inFlight >= host.order.pace.inFlightMax) return false
  refill(host.bucket, now)
  return host.bucket.tokens >= 1
}

function note(host: Host, port: number, state: 'open' | 'closed' | 'filtered', tookMs: number): void {
  if (state === 'filtered') {
    if (host.pass === 'again' || host.again.length >= againMax) host.filtered++
    else host.again.push(port)
    return
  }
  if (state === 'open') host.open.push(port)
  else host.closed++
  learn(host, tookMs)
}

function learn(host: Host, tookMs: number): void {
  if (host.srttMs === 0) {
    host.srttMs = tookMs
    host.rttvarMs = tookMs / 2
    return
  }
  host.rttvarMs = 0.75 * host.rttvarMs + 0.25 * Math.abs(host.srttMs - tookMs)
  host.srttMs = 0.875 * host.srttMs + 0.125 * tookMs
}

function answered(host: Host): boolean {
  return host.open.length + host.closed > 0
}

function timeoutOf(host: Host): number {
  if (!answered(host)) return host.pass === 'head' ? timeoutFirstMs : silentTimeoutMs
  const estimate = Math.min(timeoutMaxMs, Math.max(timeoutMinMs, host.srttMs + 4 * host.rttvarMs))
  return host.pass === 'again' ? Math.min(timeoutMaxMs, estimate * 2) : estimate
}

/**
 * What is asked when a pass is over; nothing when the host is done. A silent host is asked every
 * port once and briefly; one that answers is asked a second time where it did not.
 */
function nextPass(host: Host): number[] {
  const { ports, headCount, silentPortsMax, pace } = host.order
  const isLate = performance.now() - host.startedAt > pace.deadlineMs || isHopeless(host)
  if (host.pass === 'head') {
    host.pass = 'all'
    const rest = ports.slice(headCount, answered(host) ? undefined : silentPortsMax)
    if (!isLate && rest.length > 0) return rest
    if (isLate) host.unknown += rest.length
  }
  if (host.pass === 'all') {
    host.pass = 'again'
    const again = host.again
    host.again = []
    if (answered(host) && !isLate && !isEverything(host) && again.length > 0) return again
    host.filtered += again.length
  }
  return []
}

function asked(host: Host): number {
  return host.open.length + host.closed + host.filtered + host.again.length
}

function isEverything(host: Host): boolean {
  return asked(host) >= everythingAsked && host.open.length > asked(host) * everythingShare
}

function isHopeless(host: Host): boolean {
  return host.unknown >= hopelessPorts && asked(host) === 0
}

/** Whether what is left of a host's ports shall not be asked: no time, no way, or nothing to learn. */
function isOver(host: Host, now: number): boolean {
  if (host.next >= host.queue.length) return false
  if (now - host.startedAt > host.order.pace.deadlineMs || isHopeless(host)) return true
  return asked(host) >= everythingEnough && isEverything(host)
}

function replyOf(host: Host): SweepReply {
  return {
    id: host.order.id,
    open: host.open,
    closed: host.closed,
    filtered: host.filtered,
    unknown: host.unknown,
    answersEverything: isEverything(host),
    localErrors: host.localErrors,
  }
}

function stateOf(code = ''): PortState {
  if (code === 'ECONNREFUSED') return 'closed'
  // The handshake was done and the peer reset the connection before we saw it.
  if (code === 'ECONNRESET') return 'open'
  return localError(code) ? 'local' : 'filtered'
}

/** A connect to an ephemeral port of this machine may meet itself (simultaneous open) and look open. */
function isSelf(socket: Socket): boolean {
  return socket.localPort === socket.remotePort && socket.localAddress === socket.remoteAddress
}

function bucketOf(perSecond: number, burst: number): Bucket {
  return { perSecond, burst: Math.max(1, burst), tokens: Math.max(1, burst), filledAt: performance.now() }
}

function refill(bucket: Bucket, now: number): void {
  const gained = bucket.perSecond === Infinity ? Infinity : ((now - bucket.filledAt) / 1000) * bucket.perSecond
  bucket.tokens = Math.min(bucket.burst, bucket.tokens + gained)
  bucket.filledAt = now
}

if (parentPort) {
  const { workerData } = await import('node:worker_threads')
  serve(parentPort, workerData)
}
