/** Connections of the identification: each its own, within the budget, closed whatever happens. */
import type { Budget } from '#budget.ts'
import { quietPorts } from '#fingerprint/greeting.ts'
import type { Guard } from '#guard.ts'
import { dial, lineOver } from '#net/tcp.ts'
import type { Line, ReadOptions } from '#net/tcp.ts'
import { shakeHands } from '#net/tls.ts'

export interface LineTools {
  readonly guard: Guard
  readonly budget: Budget
  readonly signal: AbortSignal
}
export interface Place {
  readonly address: string
  readonly port: number
  /** Name for SNI and the Host header; the address when there is none. */
  readonly hostname: string
}
/** A place, and whether its connections begin with TLS. */
export interface Way extends Place {
  readonly isTls?: boolean
}

export const greetingWaitMs = 1200
export const quietWaitMs = 300
const answerWaitMs = 1500
export const greetingPatience: ReadOptions = { firstByteMs: greetingWaitMs, idleMs: 120, totalMs: 3000, bytesMax: 8192 }

/** Waits in silence for what the service says first. */
export async function listen(place: Place, tools: LineTools): Promise<Buffer> {
  const firstByteMs = quietPorts.has(place.port) ? quietWaitMs : greetingWaitMs
  return onLine(place, tools, (line) => line.read({ ...greetingPatience, firstByteMs }), Buffer.alloc(0))
}

export async function say(place: Way, words: Uint8Array, tools: LineTools): Promise<Buffer> {
  const read = (line: Line) => {
    line.write(words)
    return line.read({ firstByteMs: answerWaitMs, idleMs: 120, totalMs: 4000, bytesMax: 16_384 })
  }
  return onLine(place, tools, read, Buffer.alloc(0))
}

/** Opens a connection of its own within the budget and closes it whatever happens. */
export async function onLine<Value>(
  way: Way,
  tools: LineTools,
  speak: (line: Line) => Promise<Value>,
  otherwise: Value,
): Promise<Value> {
  await tools.budget.take(way.address, tools.signal)
  const line = await open(way, tools)
  if (!line) return otherwise
  try {
    return await speak(line)
  } finally {
    line.close()
  }
}

async function open({ address, port, hostname, isTls = false }: Way, tools: LineTools): Promise<Line | undefined> {
  if (isTls) {
    const shaken = await shakeHands(address, port, { ...tools, hostname })
    return shaken.kind === 'handshake' ? lineOver(shaken.socket, tools.signal) : undefined
  }
  const dialled = await dial(address, port, tools)
  return dialled.kind === 'open' ? dialled.line : undefined
}
