/** One question by UDP and its answer. */
import { createSocket } from 'node:dgram'
import type { Guard } from '#guard.ts'
import { within } from '#net/deadline.ts'

/** What a datagram brought back. */
export type UdpAnswer =
  | { readonly kind: 'answer'; readonly bytes: Buffer }
  /** The host says that nothing listens there (ICMP port unreachable). */
  | { readonly kind: 'closed' }
  /** Nothing came; by UDP that tells nothing. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'unknown'; readonly reason: string }

export interface UdpOptions {
  readonly guard: Guard
  readonly signal: AbortSignal
  /** How long each try waits, in milliseconds. */
  readonly waitMs?: number
  readonly tries?: number
  /** The answer may come from another port of the host, as TFTP's does (RFC 1350); then `closed` is never seen. */
  readonly fromAnyPort?: boolean
  /** Answers are collected until nothing more came for a moment; in bytes. Absent: the first one alone. */
  readonly collectBytesMax?: number
}

const collectIdleMs = 250

/** @throws only when `signal` aborts, with its reason */
export async function askUdp(
  address: string,
  port: number,
  question: Uint8Array,
  options: UdpOptions,
): Promise<UdpAnswer> {
  const { guard, signal, waitMs = 1000, tries = 2 } = options
  signal.throwIfAborted()
  const refusal = guard.refusal(address, port)
  if (refusal) return { kind: 'unknown', reason: refusal }
  for (let attempt = 1; attempt <= tries; attempt++) {
    const answer = await askOnce(address, port, question, { ...options, waitMs: waitMs * attempt })
    if (answer.kind !== 'silent') return answer
  }
  return { kind: 'silent' }
}

async function askOnce(
  address: string,
  port: number,
  question: Uint8Array,
  options: UdpOptions & { readonly waitMs: number },
): Promise<UdpAnswer> {
  const { signal, waitMs, fromAnyPort = false, collectBytesMax } = options
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  const first = Promise.withResolvers<UdpAnswer>()
  const parts: Buffer[] = []
  let heardAt = 0
  socket.on('message', (bytes, from) => {
    // A datagram from elsewhere is not an answer of this host.
    if (from.address !== address) return
    if (parts.reduce((sum, part) => sum + part.length, 0) < (collectBytesMax ?? 1)) parts.push(bytes)
    heardAt = performance.now()
    first.resolve({ kind: 'answer', bytes })
  })
  socket.on('error', ({ code = '', message }: NodeJS.ErrnoException) =>
    first.resolve(code === 'ECONNREFUSED' ? { kind: 'closed' } : { kind: 'unknown', reason: message }),
  )
  try {
    if (fromAnyPort) socket.send(question, port, address)
    else socket.connect(port, address, () => socket.send(question))
    const answer = await within(first.promise, waitMs, signal)
    if (answer?.kind !== 'answer') return answer ?? { kind: 'silent' }
    if (collectBytesMax === undefined) return answer
    const pause = () => within(new Promise<never>(() => undefined), collectIdleMs, signal)
    while (performance.now() - heardAt < collectIdleMs) await pause()
    return { kind: 'answer', bytes: Buffer.concat(parts) }
  } finally {
    socket.close()
  }
}
