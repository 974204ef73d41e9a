/** UDP request and response. */
import { createSocket } from 'node:dgram'
import type { Guard } from '#guard.ts'
import { withDeadline } from '#net/deadline.ts'

/** Outcome of a UDP request. */
export type UdpResponse =
  | { readonly kind: 'answer'; readonly bytes: Buffer }
  /** ICMP port unreachable: the port is closed. */
  | { readonly kind: 'closed' }
  /** No response, which is inconclusive for UDP. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'unknown'; readonly reason: string }

export interface UdpOptions {
  readonly guard: Guard
  readonly signal: AbortSignal
  /** Timeout per attempt, in milliseconds. */
  readonly waitMs?: number
  readonly tries?: number
  /**
   * Accepts responses from another port of the host, as TFTP requires (RFC 1350); `closed` is then
   * never reported.
   */
  readonly fromAnyPort?: boolean
  /**
   * Collects responses up to this many bytes until no more arrive. Absent: the first response only.
   */
  readonly collectBytesMax?: number
  /** Returns the datagram to send in reply to a response, such as an acknowledgment. */
  readonly replyTo?: (response: Buffer) => Uint8Array | undefined
}

const collectIdleMs = 250

/** @throws only when `signal` aborts, with its reason */
export async function queryUdp(
  address: string,
  port: number,
  request: Uint8Array,
  options: UdpOptions,
): Promise<UdpResponse> {
  const { guard, signal, waitMs = 1000, tries = 2 } = options
  signal.throwIfAborted()
  const denialReason = guard.denialReason(address, port)
  if (denialReason) return { kind: 'unknown', reason: denialReason }
  for (let attempt = 1; attempt <= tries; attempt++) {
    const response = await sendOnce(address, port, request, { ...options, waitMs: waitMs * attempt })
    if (response.kind !== 'silent') return response
  }
  return { kind: 'silent' }
}

async function sendOnce(
  address: string,
  port: number,
  request: Uint8Array,
  options: UdpOptions & { readonly waitMs: number },
): Promise<UdpResponse> {
  const { signal, waitMs, fromAnyPort = false, collectBytesMax, replyTo } = options
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  const first = Promise.withResolvers<UdpResponse>()
  const parts: Buffer[] = []
  let lastReceivedAt = 0
  socket.on('message', (bytes, from) => {
    // Ignore datagrams from other hosts.
    if (from.address !== address) return
    if (parts.reduce((sum, part) => sum + part.length, 0) < (collectBytesMax ?? 1)) parts.push(bytes)
    lastReceivedAt = performance.now()
    first.resolve({ kind: 'answer', bytes })
    const reply = replyTo?.(bytes)
    if (reply) socket.send(reply, from.port, from.address)
  })
  socket.on('error', ({ code = '', message }: NodeJS.ErrnoException) =>
    first.resolve(code === 'ECONNREFUSED' ? { kind: 'closed' } : { kind: 'unknown', reason: message }),
  )
  try {
    if (fromAnyPort || replyTo) socket.send(request, port, address)
    else socket.connect(port, address, () => socket.send(request))
    const response = await withDeadline(first.promise, waitMs, signal)
    if (response?.kind !== 'answer') return response ?? { kind: 'silent' }
    if (collectBytesMax === undefined) return response
    const pause = () => withDeadline(new Promise<never>(() => undefined), collectIdleMs, signal)
    while (performance.now() - lastReceivedAt < collectIdleMs) await pause()
    return { kind: 'answer', bytes: Buffer.concat(parts) }
  } finally {
    socket.close()
  }
}
