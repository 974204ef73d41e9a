/** Bounded connections for service identification, always closed after use. */
import type { Budget } from '#budget.ts'
import { silentPorts } from '#fingerprint/banner.ts'
import type { Guard } from '#guard.ts'
import { dial, connectionOver } from '#net/tcp.ts'
import type { TcpConnection, ReadOptions } from '#net/tcp.ts'
import { tlsHandshake } from '#net/tls.ts'

export interface ConnectionTools {
  readonly guard: Guard
  readonly budget: Budget
  readonly signal: AbortSignal
}
export interface Place {
  readonly address: string
  readonly port: number
  /** Name for SNI and the Host header; the address if unknown. */
  readonly hostname: string
}
/** A host and port, and whether to connect with TLS. */
export interface ProbeTarget extends Place {
  readonly isTls?: boolean
}

export const bannerWaitMs = 1200
export const quietWaitMs = 300
const answerWaitMs = 1500
export const bannerReadOptions: ReadOptions = { firstByteMs: bannerWaitMs, idleMs: 120, totalMs: 3000, bytesMax: 8192 }

/** Waits for the service's banner without sending anything. */
export async function readInitialBanner(place: Place, tools: ConnectionTools): Promise<Buffer> {
  const firstByteMs = silentPorts.has(place.port) ? quietWaitMs : bannerWaitMs
  return withConnection(place, tools, (line) => line.read({ ...bannerReadOptions, firstByteMs }), Buffer.alloc(0))
}

export async function exchange(place: ProbeTarget, words: Uint8Array, tools: ConnectionTools): Promise<Buffer> {
  const read = (line: TcpConnection) => {
    line.write(words)
    return line.read({ firstByteMs: answerWaitMs, idleMs: 120, totalMs: 4000, bytesMax: 16_384 })
  }
  return withConnection(place, tools, read, Buffer.alloc(0))
}

/** Opens a rate-limited connection and always closes it. */
export async function withConnection<Value>(
  way: ProbeTarget,
  tools: ConnectionTools,
  speak: (line: TcpConnection) => Promise<Value>,
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

async function open(
  { address, port, hostname, isTls = false }: ProbeTarget,
  tools: ConnectionTools,
): Promise<TcpConnection | undefined> {
  if (isTls) {
    const shaken = await tlsHandshake(address, port, { ...tools, hostname })
    return shaken.kind === 'handshake' ? connectionOver(shaken.socket, tools.signal) : undefined
  }
  const dialled = await dial(address, port, tools)
  return dialled.kind === 'open' ? dialled.line : undefined
}
