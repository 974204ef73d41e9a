import type { Limits } from '#budget.ts'
import { commonPorts, headPorts } from '#common-ports.ts'
import type { Guard } from '#guard.ts'
import { NotAccelerated, startAccelerator, startThreads, type Engine } from '#sweep-engine.ts'
import type { SweepOrder, SweepReply } from '#sweep-host.ts'

/** Port states of one host. The four counts add up to the number of ports to scan. */
export interface PortReading {
  /** Ascending. */
  readonly open: readonly number[]
  readonly closed: number
  /** No response, or a response from a device in between. */
  readonly filtered: number
  /** Undecided: a local error, or the deadline passed. */
  readonly unknown: number
  /** Ports denied by the guard, and the reason. */
  readonly denied: number
  readonly denialReason: string | null
  /** Nearly every port is open, as with a proxy or tarpit. */
  readonly answersEverything: boolean
  readonly localErrors: Readonly<Record<string, number>>
}
/** Sweeps ports of hosts in other threads or processes. The caller must close it. */
export interface Sweeper {
  /**
   * Connects to each port of one host, the most likely first, the rest in random order.
   *
   * @param ports absent: the common 1,100
   * @throws only when the sweeper's signal aborts, with its reason
   */
  host(address: string, ports?: readonly number[]): Promise<PortReading>
  close(): Promise<void>
}

export interface SweeperOptions {
  readonly guard: Guard
  readonly limits: Limits
  readonly signal: AbortSignal
  /** Uses libc in a separate process where available, and sockets otherwise. */
  readonly isAccelerated?: boolean
  /** Receives the reason, for the log, when the requested accelerator is unavailable. */
  readonly withoutAccelerator?: (reason: string) => void
}

interface PendingOrder extends PromiseWithResolvers<SweepReply> {
  readonly order: SweepOrder
}

/** Starts threads and processes on the first host. They end immediately when `signal` aborts. */
export function createSweeper(options: SweeperOptions): Sweeper {
  const { guard, limits, signal } = options
  const waiting = new Map<number, PendingOrder>()
  let engine: Engine | undefined
  let starting: Promise<void> | undefined
  const closing = new AbortController()
  let lastId = 0
  const fail = (reason: unknown) => {
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
  }
  const stop = () => {
    fail(signal.reason)
    void close()
  }
  const reply = (reply: SweepReply) => {
    waiting.get(reply.id)?.resolve(reply)
    waiting.delete(reply.id)
  }
  signal.addEventListener('abort', stop, { once: true })

  async function start(): Promise<void> {
    if (options.isAccelerated) {
      const accelerator = await startAccelerator(limits, { reply, failed: useThreads }, closing.signal).catch(
        reportUnavailable,
      )
      if (accelerator) return switchTo(accelerator)
    }
    switchTo(startThreads(limits, { reply, failed: fail }))
  }

  /** Resends all pending orders: the state of the previous engine is lost. */
  function switchTo(next: Engine): void {
    engine = next
    if (closing.signal.aborted) return void next.close()
    for (const { order } of waiting.values()) next.send(order)
  }

  function useThreads(error: Error): void {
    reportUnavailable(error)
    if (!closing.signal.aborted) switchTo(startThreads(limits, { reply, failed: fail }))
  }

  function reportUnavailable(error: unknown): void {
    if (!(error instanceof NotAccelerated)) throw error
    if (!closing.signal.aborted) options.withoutAccelerator?.(error.message)
  }

  async function host(address: string, ports: readonly number[] = commonPorts): Promise<PortReading> {
    signal.throwIfAborted()
    const denied = ports.reduce((sum, port) => sum + Number(guard.denialReason(address, port) !== null), 0)
    // A list shared by all hosts is ordered once.
    const allowed = denied === 0 ? ports : ports.filter((port) => guard.denialReason(address, port) === null)
    const denialReason = denied > 0 ? firstDenialReason(guard, address, ports) : null
    if (allowed.length === 0) return { ...emptyReading, denied, denialReason }
    const id = ++lastId
    const order = orderOf(id, address, allowed, limits)
    const pendingReply = { order, ...Promise.withResolvers<SweepReply>() }
    waiting.set(id, pendingReply)
    engine?.send(order)
    starting ??= start().catch(fail)
    const { id: _, ...reading } = await pendingReply.promise
    return { ...reading, open: reading.open.toSorted((a, b) => a - b), denied, denialReason }
  }

  async function close(): Promise<void> {
    closing.abort()
    signal.removeEventListener('abort', stop)
    await starting
    await engine?.close()
  }

  return { host, close }
}

const emptyReading = { open: [], closed: 0, filtered: 0, unknown: 0, answersEverything: false, localErrors: {} }

function firstDenialReason(guard: Guard, address: string, ports: readonly number[]): string | null {
  for (const port of ports) {
    const denialReason = guard.denialReason(address, port)
    if (denialReason) return denialReason
  }
  return null
}

function orderOf(id: number, address: string, ports: readonly number[], limits: Limits): SweepOrder {
  const ordered = scanOrder(ports, seedOf(address))
  return {
    id,
    address,
    ports: ordered,
    headCount: Math.min(headPorts, ordered.length),
    silentPortsMax: limits.silentPortsMax,
    pace: {
      perSecond: limits.sweepPerHostPerSecond,
      burst: Math.min(headPorts, limits.sweepPerHostPerSecond),
      inFlightMax: limits.sweepPerHostInFlight,
      deadlineMs: limits.sweepHostDeadlineMs,
    },
  }
}

const rank = new Map(commonPorts.map((port, index) => [port, index]))

/**
 * The most likely ports, then the other common ones, then the rest. All parts except the first are
 * shuffled with the seed, so that hosts aren't scanned in ascending order and a repeated scan
 * behaves identically.
 */
export function scanOrder(ports: readonly number[], seed: number): number[] {
  const { head, common, rest } = sorted.get(ports) ?? groupPorts(ports)
  const next = randomFrom(seed)
  return [...head, ...shuffled(common, next), ...shuffled(rest, next)]
}

interface Sorted {
  readonly head: readonly number[]
  readonly common: readonly number[]
  readonly rest: readonly number[]
}
const sorted = new WeakMap<readonly number[], Sorted>()

function groupPorts(ports: readonly number[]): Sorted {
  const rankOf = (port: number) => rank.get(port) ?? Infinity
  const unique = [...new Set(ports)]
  const byLikelihood = unique.filter((port) => rank.has(port)).toSorted((a, b) => rankOf(a) - rankOf(b))
  const rest = unique.filter((port) => !rank.has(port))
  const groups = { head: byLikelihood.slice(0, headPorts), common: byLikelihood.slice(headPorts), rest }
  sorted.set(ports, groups)
  return groups
}

function shuffled(ports: readonly number[], next: () => number): number[] {
  const result = [...ports]
  for (let index = result.length - 1; index > 0; index--) {
    const other = Math.floor(next() * (index + 1))
    const swapped = result[index] ?? 0
    result[index] = result[other] ?? 0
    result[other] = swapped
  }
  return result
}

/** mulberry32: sufficient for shuffling, not for secrets. */
function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function seedOf(address: string): number {
  let hash = 0x811c9dc5
  for (const char of address) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return hash
}
