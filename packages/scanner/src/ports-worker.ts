/**
 * The sweeping thread: connects to the ports of many hosts at once and tells the states of each host when it
 * is done. Runs in a worker so that thousands of sockets delay nobody else; `ports.ts` starts and stops it.
 */
import { Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'
import { bucketOf, refill } from '#bucket.ts'
import type { Bucket } from '#bucket.ts'
import { localError } from '#net/local-errors.ts'
import { hostOf, isOver, mayAsk, networkOf, nextPass, note, replyOf, spend, timeoutOf } from '#sweep-host.ts'
import type { Host, SweepOrder, SweepReply } from '#sweep-host.ts'

/** What all hosts of this thread share. */
export interface WorkerSettings {
  readonly inFlightMax: number
  readonly perSecond: number
  /** Over all hosts of one network. */
  readonly perNetworkPerSecond: number
}

type PortState = 'open' | 'closed' | 'filtered' | 'local'

interface Attempt {
  readonly host: Host
  readonly port: number
  readonly plug: Plug
  readonly startedAt: number
  readonly deadlineAt: number
}

/** A socket that connects again once it has closed after a refusal, which costs a third less than a new one. */
interface Plug {
  readonly socket: Socket
  attempt: Attempt | undefined
  isRefused: boolean
}

const tickMs = 20
const localAttemptsMax = 5
const windowMin = 16
const pauseMs = 100

/** Starts the thread's loop on its message port. */
export function serve(port: NonNullable<typeof parentPort>, settings: WorkerSettings): void {
  // A refused connect makes an error object; its stack is the dearest part of it and nobody reads it.
  Error.stackTraceLimit = 0
  const sweep = createSweep(settings, (reply) => port.postMessage(reply))
  port.on('message', (order: SweepOrder) => sweep.add(order))
}

function createSweep(settings: WorkerSettings, finish: (reply: SweepReply) => void) {
  const hosts: Host[] = []
  const networks = new Map<string, Bucket>()
  const attempts = new Set<Attempt>()
  const unused: Plug[] = []
  const shared = bucketOf(settings.perSecond, settings.perSecond * 0.05)
  let window = settings.inFlightMax
  let pausedUntil = 0
  let turn = 0
  let timer: NodeJS.Timeout | undefined
  let isPumping = false
  let tickedAt = performance.now()
  let wasStalled = false

  function add(order: SweepOrder): void {
    const name = networkOf(order.address)
    const rate = settings.perNetworkPerSecond
    const network = networks.get(name) ?? bucketOf(rate, rate * 0.05)
    networks.set(name, network)
    hosts.push(hostOf(order, network))
    timer ??= setInterval(tick, tickMs)
    pump()
  }

  function tick(): void {
    const now = performance.now()
    // After a stall the answers wait in the kernel, unread: they come before the deadlines, once.
    wasStalled = !wasStalled && now - tickedAt > tickMs * 4
    tickedAt = now
    if (!wasStalled) for (const attempt of attempts) if (attempt.deadlineAt <= now) settle(attempt, 'filtered')
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
    spend(host)
    host.inFlight++
    const plug = unused.pop() ?? createPlug()
    const attempt = { host, port, plug, startedAt: now, deadlineAt: now + timeoutOf(host) }
    plug.attempt = attempt
    attempts.add(attempt)
    plug.socket.connect({ host: host.order.address, port, autoSelectFamily: false })
  }

  function createPlug(): Plug {
    const socket = new Socket()
    const plug: Plug = { socket, attempt: undefined, isRefused: false }
    socket.on('connect', () => settle(plug.attempt, isSelf(socket) ? 'closed' : 'open'))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => settle(plug.attempt, stateOf(code), code))
    socket.on('close', () => {
      plug.attempt = undefined
      if (plug.isRefused) unused.push(plug)
      plug.isRefused = false
    })
    return plug
  }

  function settle(attempt: Attempt | undefined, state: PortState, code = ''): void {
    if (!attempt || !attempts.delete(attempt)) return
    const { host, port, plug } = attempt
    const { socket } = plug
    plug.isRefused = code === 'ECONNREFUSED'
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
      networks.clear()
      unused.length = 0
      clearInterval(timer)
      timer = undefined
    }
  }

  return { add }
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

if (parentPort) {
  const { workerData } = await import('node:worker_threads')
  serve(parentPort, workerData)
}
