import { Socket } from 'node:net'
import type { Guard } from '#guard.ts'
import { within } from '#net/deadline.ts'
import { localError } from '#net/local-errors.ts'

/** A connect, or what came instead. Whoever gets the line must close it. */
export type Dial =
  | { readonly kind: 'open'; readonly line: Line }
  | { readonly kind: 'closed' }
  | { readonly kind: 'filtered' }
  /** Accepted and reset in the same moment: open, but there is nothing to read. */
  | { readonly kind: 'reset' }
  /** Refused by the guard, or an error of this machine: it says nothing of the port. */
  | { readonly kind: 'unknown'; readonly reason: string }

export interface DialOptions {
  readonly guard: Guard
  readonly signal: AbortSignal
  readonly deadlineMs?: number
}
export interface ReadOptions {
  /** How long a silent peer is listened to, in milliseconds. */
  readonly firstByteMs: number
  /** After the first byte, the silence that ends the reading. */
  readonly idleMs?: number
  /** The longest reading, whatever arrives. */
  readonly totalMs?: number
  readonly bytesMax?: number
  /** Ends the reading as soon as it is true of everything received in it. */
  readonly enough?: (received: Buffer) => boolean
}

/** An open connection, read in bounded steps. */
export interface Line {
  readonly socket: Socket
  /** False once the peer has ended or reset the connection. */
  readonly isAlive: boolean
  write(bytes: string | Uint8Array): void
  /**
   * What the peer says next; empty when it says nothing. Bytes over `bytesMax` are dropped and end
   * the line.
   *
   * @throws only when the dial's signal aborts, with its reason
   */
  read(options: ReadOptions): Promise<Buffer>
  /** Hands over the socket, paused and without listeners, to speak TLS on it. */
  release(): Socket
  close(): void
}

const bytesMaxDefault = 64 * 1024

/**
 * Connects to a port. Refused, silent and unreachable are outcomes, not errors.
 *
 * @throws only when `signal` aborts, with its reason
 */
export async function dial(address: string, port: number, options: DialOptions): Promise<Dial> {
  const { guard, signal, deadlineMs = 3000 } = options
  signal.throwIfAborted()
  const refusal = guard.refusal(address, port)
  if (refusal) return { kind: 'unknown', reason: refusal }
  const socket = new Socket()
  const outcome = Promise.withResolvers<Dial>()
  socket.once('connect', () => {
    const isSelf = socket.localPort === socket.remotePort && socket.localAddress === socket.remoteAddress
    outcome.resolve(isSelf ? { kind: 'closed' } : { kind: 'open', line: lineOver(socket, signal) })
  })
  socket.on('error', (error: NodeJS.ErrnoException) => outcome.resolve(outcomeOf(error)))
  socket.connect({ host: address, port, autoSelectFamily: false })
  let dialled: Dial | undefined
  try {
    dialled = await within(outcome.promise, deadlineMs, signal)
    return dialled ?? { kind: 'filtered' }
  } finally {
    if (dialled?.kind !== 'open') socket.destroy()
  }
}

function outcomeOf({ code = '', message }: NodeJS.ErrnoException): Dial {
  if (code === 'ECONNREFUSED') return { kind: 'closed' }
  if (code === 'ECONNRESET') return { kind: 'reset' }
  return localError(code) ? { kind: 'unknown', reason: message } : { kind: 'filtered' }
}

/** Reads and writes a socket that is connected already, TLS included. */
export function lineOver(socket: Socket, signal: AbortSignal): Line {
  let isAlive = true
  let received = Buffer.alloc(0)
  let bytesMax = bytesMaxDefault
  let notice: () => void = () => undefined
  const take = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk.subarray(0, bytesMax - received.length)])
    if (received.length >= bytesMax) end()
    notice()
  }
  const end = () => {
    isAlive = false
    socket.destroy()
    notice()
  }
  socket.on('data', take)
  for (const event of ['end', 'close', 'error']) socket.on(event, end)
  const stop = () => socket.destroy()
  signal.addEventListener('abort', stop, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', stop))

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
        notice = () => heard.resolve(true)
        const waitMs = Math.min(received.length > 0 ? idleMs : firstByteMs, stopAt - performance.now())
        if (!(await within(heard.promise, Math.max(0, waitMs), signal))) break
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
    // A reset leaves no TIME_WAIT behind; only a plain connection can be reset by its owner.
    close: () => void (socket.destroyed || 'encrypted' in socket ? socket.destroy() : socket.resetAndDestroy()),
  }
}

/**
 * One question on a connection of its own, or none, and the answer to it.
 *
 * @returns what was heard; undefined when there was no connection
 * @throws only when `signal` aborts, with its reason
 */
export async function ask(
  address: string,
  port: number,
  question: string | Uint8Array | null,
  options: DialOptions & ReadOptions,
): Promise<Buffer | undefined> {
  const dialled = await dial(address, port, options)
  if (dialled.kind !== 'open') return undefined
  try {
    if (question !== null) dialled.line.write(question)
    return await dialled.line.read(options)
  } finally {
    dialled.line.close()
  }
}
