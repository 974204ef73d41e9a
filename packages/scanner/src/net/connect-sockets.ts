import { Socket } from 'node:net'
import type { Attempt, Connector, Settled } from '#sweep-loop.ts'

/** A socket that reconnects after a refused connection, a third cheaper than creating a new one. */
interface ReusableSocket {
  readonly socket: Socket
  attempt: Attempt | undefined
  isRefused: boolean
}

/** Connects with `node:net` sockets, on every platform. */
export function connectWithSockets(settled: Settled): Connector {
  const inUse = new Map<Attempt, ReusableSocket>()
  const unused: ReusableSocket[] = []

  function begin(attempt: Attempt): void {
    const reusable = unused.pop() ?? createReusable()
    reusable.attempt = attempt
    inUse.set(attempt, reusable)
    reusable.socket.connect({ host: attempt.host.order.address, port: attempt.port, autoSelectFamily: false })
  }

  function createReusable(): ReusableSocket {
    const socket = new Socket()
    const reusable: ReusableSocket = { socket, attempt: undefined, isRefused: false }
    socket.on('connect', () => end(reusable, isSelf(socket) ? 'ECONNREFUSED' : ''))
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      reusable.isRefused = code === 'ECONNREFUSED'
      end(reusable, code)
    })
    socket.on('close', () => {
      reusable.attempt = undefined
      if (reusable.isRefused) unused.push(reusable)
      reusable.isRefused = false
    })
    return reusable
  }

  function end({ attempt, socket }: ReusableSocket, code: string): void {
    if (!attempt || !inUse.delete(attempt)) return
    // A reset avoids TIME_WAIT.
    if (code === '') socket.resetAndDestroy()
    else if (!socket.destroyed) socket.destroy()
    settled(attempt, code)
  }

  return {
    begin,
    cancel(attempt) {
      const reusable = inUse.get(attempt)
      if (reusable) end(reusable, 'ETIMEDOUT')
    },
    releaseSockets: () => void unused.splice(0),
  }
}

/**
 * A connect to a local ephemeral port may connect to itself (simultaneous open) and appear open.
 */
function isSelf(socket: Socket): boolean {
  return socket.localPort === socket.remotePort && socket.localAddress === socket.remoteAddress
}
