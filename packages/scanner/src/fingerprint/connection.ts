/** Bounded connections for service identification, always closed after use. */
import type { Budget } from '#budget.ts'
import { greetingPorts, silentPorts, slowPorts } from '#fingerprint/banner.ts'
import type { Probe } from '#fingerprint/probe.ts'
import type { Guard } from '#guard.ts'
import { redial, connectionOver, type TcpConnection, type ReadOptions } from '#net/tcp.ts'
import { tlsHandshake } from '#net/tls.ts'

export interface ConnectionTools {
  readonly guard: Guard
  readonly budget: Budget
  readonly signal: AbortSignal
}
export interface Endpoint {
  readonly address: string
  readonly port: number
  /** Name for SNI and the Host header; the address if unknown. */
  readonly hostname: string
}
/** A host and port, and whether to connect with TLS. */
export interface ProbeTarget extends Endpoint {
  readonly isTls?: boolean
}

export const bannerWaitMs = 1200
const slowBannerWaitMs = 2000
const greetingWaitMs = 8000
export const quietWaitMs = 300
const responseWaitMs = 1500
export const bannerReadOptions: ReadOptions = { firstByteMs: bannerWaitMs, idleMs: 120, totalMs: 3000, bytesMax: 8192 }

/** Waits for the service's banner without sending anything. */
export async function readInitialBanner(endpoint: Endpoint, tools: ConnectionTools): Promise<Buffer> {
  const firstByteMs = bannerWaitOf(endpoint.port)
  const options = { ...bannerReadOptions, firstByteMs, totalMs: firstByteMs + 1800 }
  return withConnection(endpoint, tools, (connection) => connection.read(options), Buffer.alloc(0))
}

function bannerWaitOf(port: number): number {
  if (greetingPorts.has(port)) return greetingWaitMs
  if (silentPorts.has(port)) return quietWaitMs
  return slowPorts.has(port) ? slowBannerWaitMs : bannerWaitMs
}

export async function exchange(
  endpoint: ProbeTarget,
  { request, endsAfterRequest }: Pick<Probe, 'request' | 'endsAfterRequest'>,
  tools: ConnectionTools,
  firstByteMs = responseWaitMs,
): Promise<Buffer> {
  const read = (connection: TcpConnection) => {
    connection.write(request)
    if (endsAfterRequest) connection.socket.end()
    return connection.read({ firstByteMs, idleMs: 120, totalMs: 4000, bytesMax: 16_384 })
  }
  return withConnection(endpoint, tools, read, Buffer.alloc(0))
}

/** Opens a rate-limited connection and always closes it. */
export async function withConnection<Value>(
  target: ProbeTarget,
  tools: ConnectionTools,
  converse: (connection: TcpConnection) => Promise<Value>,
  fallback: Value,
): Promise<Value> {
  await tools.budget.take(target.address, tools.signal)
  const connection = await open(target, tools)
  if (!connection) return fallback
  try {
    return await converse(connection)
  } finally {
    connection.close()
  }
}

async function open(
  { address, port, hostname, isTls = false }: ProbeTarget,
  tools: ConnectionTools,
): Promise<TcpConnection | undefined> {
  if (isTls) {
    const handshake = await tlsHandshake(address, port, { ...tools, hostname })
    return handshake.kind === 'handshake' ? connectionOver(handshake.socket, tools.signal) : undefined
  }
  const dialed = await redial(address, port, tools)
  return dialed.kind === 'open' ? dialed.connection : undefined
}
