import { setTimeout } from 'node:timers/promises'
import { Socket } from 'node:net'
import type { Guard } from '#guard.ts'
import { withDeadline } from '#net/deadline.ts'
import { localError } from '#net/local-errors.ts'

/** An open connection, or why there is none. The caller must close the connection. */
export type DialResult =
  | { readonly kind: 'open'; readonly connection: TcpConnection }
  | { readonly kind: 'closed' }
  | { readonly kind: 'filtered' }
  /** Accepted and reset immediately: open, but with nothing to read. */
  | { readonly kind: 'reset' }
  /** Refused by the guard or failed locally; implies nothing about the port. */
  | { readonly kind: 'unknown'; readonly reason: string }

export interface DialOptions {
  readonly guard: Guard
  readonly signal: AbortSignal
  readonly deadlineMs?: number
}
export interface ReadOptions {
  /** Time to wait for the first byte, in milliseconds. */
  readonly firstByteMs: number
  /** Idle time after the first byte that ends the read. */
  readonly idleMs?: number
  /** Maximum duration of the read. */
  readonly totalMs?: number
  readonly bytesMax?: number
  /** Ends the read once it returns true for the data received so far. */
  readonly enough?: (received: Buffer) => boolean
}

/** An open connection with bounded reads. */
export interface TcpConnection {
  readonly socket: Socket
  /** False once the peer has closed or reset the connection. */
  readonly isAlive: boolean
  write(bytes: string | Uint8Array): void
  /**
   * Reads the next data; empty when none arrives. Bytes beyond `bytesMax` are dropped and close the
   * connection.
   *
   * @throws only when the dial's signal aborts, with its reason
   */
  read(options: ReadOptions): Promise<Buffer>
  /** Hands over the socket, paused and without listeners, for a TLS upgrade. */
  release(): Socket
  close(): void
}

const bytesMaxDefault = 64 * 1024
/** Ports of gdbserver, which crashes when a connection is reset. */
const endsOnReset: ReadonlySet<number> = new Set([1234, 2159, 2331, 2345])

/**
 * Connects to a port. Refused, silent, and unreachable ports are results, not errors.
 *
 * @throws only when `signal` aborts, with its reason
 */
export async function dial(address: string, port: number, options: DialOptions): Promise<DialResult> {
  const { guard, signal, deadlineMs = 3000 } = options
  signal.throwIfAborted()
  const denialReason = guard.denialReason(address, port)
  if (denialReason) return { kind: 'unknown', reason: denialReason }
  const socket = new Socket()
  const outcome = Promise.withResolvers<DialResult>()
  socket.once('connect', () => {
    const isSelf = socket.localPort === socket.remotePort && socket.localAddress === socket.remoteAddress
    outcome.resolve(isSelf ? { kind: 'closed' } : { kind: 'open', connection: connectionOver(socket, signal) })
  })
  socket.on('error', (error: NodeJS.ErrnoException) => outcome.resolve(outcomeOf(error)))
  socket.connect({ host: address, port, autoSelectFamily: false })
  let result: DialResult | undefined
  try {
    result = await withDeadline(outcome.promise, deadlineMs, signal)
    return result ?? { kind: 'filtered' }
  } finally {
    if (result?.kind !== 'open') socket.destroy()
  }
}

const restartsMs = [300, 900]

/**
 * Dials a port that was open before. A service that exits after each connection refuses the next one until it has been
 * restarted, so a refusal is retried twice.
 */
export async function redial(address: string, port: number, options: DialOptions): Promise<DialResult> {
  let result = await dial(address, port, options)
  for (const restartMs of restartsMs) {
    if (result.kind !== 'closed') break
    await setTimeout(restartMs, undefined, { signal: options.signal })
    result = await dial(address, port, options)
  }
  return result
}

function outcomeOf({ code = '', message }: NodeJS.ErrnoException): DialResult {
  if (code === 'ECONNREFUSED') return { kind: 'closed' }
  if (code === 'ECONNRESET') return { kind: 'reset' }
  return localError(code) ? { kind: 'unknown', reason: message } : { kind: 'filtered' }
}

/** Wraps a connected socket, TLS included. */
export function connectionOver(socket: Socket, signal: AbortSignal): TcpConnection {
  let isAlive = true
  let received = Buffer.alloc(0)
  let bytesMax = bytesMaxDefault
  let onChange: () => void = () => undefined
  const take = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk.subarray(0, bytesMax - received.length)])
    if (received.length >= bytesMax) end()
    onChange()
  }
  const end = () => {
    isAlive = false
    socket.destroy()
    onChange()
  }
  socket.on('data', take)
  for (const event of ['end', 'close', 'error']) socket.on(event, end)
  const abort = () => socket.destroy()
  signal.addEventListener('abort', abort, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', abort))

  return {
    socket,
    get isAlive() {
      return isAlive
    },
    write(bytes) {
      if (isAlive && socket.writable) socket.write(bytes)
    },
    async read({ firstByteMs, idleMs = 200, totalMs = 5000, bytesMax: limit = bytesMaxDefault, enough }) {
      bytesMax = limit
      const stopAt = performance.now() + totalMs
      while (isAlive && performance.now() < stopAt && !(received.length > 0 && enough?.(received))) {
        const heard = Promise.withResolvers<true>()
        onChange = () => heard.resolve(true)
        const waitMs = Math.min(received.length > 0 ? idleMs : firstByteMs, stopAt - performance.now())
        if (!(await withDeadline(heard.promise, Math.max(0, waitMs), signal))) break
      }
      signal.throwIfAborted()
      const heard = received
      received = Buffer.alloc(0)
      return heard
    },
    release() {
      socket.pause()
      socket.removeAllListeners('data')
      socket.removeListener('end', end)
      return socket
    },
    // A reset avoids TIME_WAIT; only plain TCP sockets can be reset.
    close: () =>
      void (socket.destroyed || 'encrypted' in socket || endsOnReset.has(socket.remotePort ?? 0)
        ? socket.destroy()
        : socket.resetAndDestroy()),
  }
}

/**
 * Sends an optional message on a new connection and reads the response. `endsAfterMessage` then closes the sending
 * side, which ends an upload.
 *
 * @returns the data received; undefined when the connection failed
 * @throws only when `signal` aborts, with its reason
 */
export async function sendAndRead(
  address: string,
  port: number,
  question: string | Uint8Array | null,
  options: DialOptions & ReadOptions & { readonly endsAfterMessage?: boolean },
): Promise<Buffer | undefined> {
  const result = await dial(address, port, options)
  if (result.kind !== 'open') return undefined
  try {
    if (question !== null) result.connection.write(question)
    if (options.endsAfterMessage) result.connection.socket.end()
    return await result.connection.read(options)
  } finally {
    result.connection.close()
  }
}
