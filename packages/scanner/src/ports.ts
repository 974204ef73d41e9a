import type { Limits } from '#budget.ts'
import { commonPorts, headPorts } from '#common-ports.ts'
import type { Guard } from '#guard.ts'
import { NotAccelerated, startAccelerator, startThreads } from '#sweep-engine.ts'
import type { Engine } from '#sweep-engine.ts'
import type { SweepOrder, SweepReply } from '#sweep-host.ts'

/** What the ports of one host said. The four counts add up to the ports that were asked. */
export interface PortReading {
  /** Rising. */
  readonly open: readonly number[]
  readonly closed: number
  /** No answer, or an answer from something in between. */
  readonly filtered: number
  /** Not decided: an error of this machine, or no time left. */
  readonly unknown: number
  /** Ports that the guard refused, and its reason. */
  readonly refused: number
  readonly refusal: string | null
  /** Nearly every port is open, as with a proxy or a tarpit. */
  readonly answersEverything: boolean
  readonly localErrors: Readonly<Record<string, number>>
}
/** Sweeps the ports of hosts, outside this thread. Close it when done. */
export interface Sweeper {
  /**
   * Connects to each port of one host, the likeliest first, the rest in an order of its own.
   *
   * @param ports absent: the common 1,000
   * @throws only when the sweeper's signal aborts, with its reason
   */
  host(address: string, ports?: readonly number[]): Promise<PortReading>
  close(): Promise<void>
}

export interface SweeperOptions {
  readonly guard: Guard
  readonly limits: Limits
  readonly signal: AbortSignal
  /** Sweeps with the C library's own calls where they work, in a process of its own; with sockets everywhere else. */
  readonly isAccelerated?: boolean
  /** Told why, for the log, when sockets are used although an accelerator was wanted. */
  readonly withoutAccelerator?: (reason: string) => void
}

interface Waiting extends PromiseWithResolvers<SweepReply> {
  readonly order: SweepOrder
}

/** Starts no thread and no process before the first host. When `signal` aborts, they and their sockets end at once. */
export function createSweeper(options: SweeperOptions): Sweeper {
  const { guard, limits, signal } = options
  const waiting = new Map<number, Waiting>()
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
      const accelerator = await startAccelerator(limits, { reply, failed: useThreads }, closing.signal).catch(explain)
      if (accelerator) return take(accelerator)
    }
    take(startThreads(limits, { reply, failed: fail }))
  }

  /** Everything that has no reply yet is asked, again perhaps: what an engine that ended knew is gone with it. */
  function take(next: Engine): void {
    engine = next
    if (closing.signal.aborted) return void next.close()
    for (const { order } of waiting.values()) next.send(order)
  }

  function useThreads(error: Error): void {
    explain(error)
    if (!closing.signal.aborted) take(startThreads(limits, { reply, failed: fail }))
  }

  function explain(error: unknown): void {
    if (!(error instanceof NotAccelerated)) throw error
    if (!closing.signal.aborted) options.withoutAccelerator?.(error.message)
  }

  async function host(address: string, ports: readonly number[] = commonPorts): Promise<PortReading> {
    signal.throwIfAborted()
    const refused = ports.reduce((sum, port) => sum + Number(guard.refusal(address, port) !== null), 0)
    // The same list for all hosts is put in order once.
    const allowed = refused === 0 ? ports : ports.filter((port) => guard.refusal(address, port) === null)
    const refusal = refused > 0 ? firstRefusal(guard, address, ports) : null
    if (allowed.length === 0) return { ...nothing, refused, refusal }
    const id = ++lastId
    const order = orderOf(id, address, allowed, limits)
    const answer = { order, ...Promise.withResolvers<SweepReply>() }
    waiting.set(id, answer)
    engine?.send(order)
    starting ??= start().catch(fail)
    const { id: _, ...reading } = await answer.promise
    return { ...reading, open: reading.open.toSorted((a, b) => a - b), refused, refusal }
  }

  async function close(): Promise<void> {
    closing.abort()
    signal.removeEventListener('abort', stop)
    await starting
    await engine?.close()
  }

  return { host, close }
}

const nothing = { open: [], closed: 0, filtered: 0, unknown: 0, answersEverything: false, localErrors: {} }

function firstRefusal(guard: Guard, address: string, ports: readonly number[]): string | null {
  for (const port of ports) {
    const refusal = guard.refusal(address, port)
    if (refusal) return refusal
  }
  return null
}

function orderOf(id: number, address: string, ports: readonly number[], limits: Limits): SweepOrder {
  const ordered = inOrder(ports, seedOf(address))
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
 * The likeliest ports, then the other common ones, then the rest; each part but the first shuffled
 * by the seed, so that a host is never walked upwards and the same scan runs the same way twice.
 */
export function inOrder(ports: readonly number[], seed: number): number[] {
  const { head, common, rest } = sorted.get(ports) ?? sortOut(ports)
  const next = randomFrom(seed)
  return [...head, ...shuffled(common, next), ...shuffled(rest, next)]
}

interface Sorted {
  readonly head: readonly number[]
  readonly common: readonly number[]
  readonly rest: readonly number[]
}
const sorted = new WeakMap<readonly number[], Sorted>()

function sortOut(ports: readonly number[]): Sorted {
  const rankOf = (port: number) => rank.get(port) ?? Infinity
  const unique = [...new Set(ports)]
  const likeliest = unique.filter((port) => rank.has(port)).toSorted((a, b) => rankOf(a) - rankOf(b))
  const rest = unique.filter((port) => !rank.has(port))
  const made = { head: likeliest.slice(0, headPorts), common: likeliest.slice(headPorts), rest }
  sorted.set(ports, made)
  return made
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

/** A small generator (mulberry32): good enough to mix an order, of no use for secrets. */
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
