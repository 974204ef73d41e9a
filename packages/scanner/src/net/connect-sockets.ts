import { Socket } from 'node:net'
import type { Attempt, Connector, Settled } from '#sweep-loop.ts'

/** A socket that reconnects after a refusal, a third cheaper than creating a new one. */
interface Plug {
  readonly socket: Socket
  attempt: Attempt | undefined
  isRefused: boolean
}

/** Connects with `node:net` sockets, on every platform. */
export function connectWithSockets(settled: Settled): Connector {
  const plugs = new Map<Attempt, Plug>()
  const unused: Plug[] = []

  function begin(attempt: Attempt): void {
    const plug = unused.pop() ?? createPlug()
    plug.attempt = attempt
    plugs.set(attempt, plug)
    plug.socket.connect({ host: attempt.host.order.address, port: attempt.port, autoSelectFamily: false })
  }

  function createPlug(): Plug {
    const socket = new Socket()
    const plug: Plug = { socket, attempt: undefined, isRefused: false }
    socket.on('connect', () => end(plug, isSelf(socket) ? 'ECONNREFUSED' : ''))
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      plug.isRefused = code === 'ECONNREFUSED'
      end(plug, code)
    })
    socket.on('close', () => {
      plug.attempt = undefined
      if (plug.isRefused) unused.push(plug)
      plug.isRefused = false
    })
    return plug
  }

  function end({ attempt, socket }: Plug, code: string): void {
    if (!attempt || !plugs.delete(attempt)) return
    // A reset avoids TIME_WAIT.
    if (code === '') socket.resetAndDestroy()
    else if (!socket.destroyed) socket.destroy()
    settled(attempt, code)
  }

  return {
    begin,
    abandon(attempt) {
      const plug = plugs.get(attempt)
      if (plug) end(plug, 'ETIMEDOUT')
    },
    rest: () => void unused.splice(0),
  }
}

/**
 * A connect to a local ephemeral port may connect to itself (simultaneous open) and appear open.
 */
function isSelf(socket: Socket): boolean {
  return socket.localPort === socket.remotePort && socket.localAddress === socket.remoteAddress
}
