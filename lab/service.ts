/** What every server of the laboratory is made of. */
import type { AddressInfo, Server } from 'node:net'
import type { Socket as DatagramSocket } from 'node:dgram'

/** One thing that is wrong with a host, and can be mended while it runs. */
export interface Weakness {
  /** Unique in the laboratory. */
  readonly name: string
  /** What a scan should report at least while it is there: CVE ids, or ids of checks of our packs. */
  readonly expected: readonly string[]
}

/** Says whether a weakness is still there; servers ask it for every answer. */
export type Weak = (weakness: string) => boolean

/** A port that is listening. Closing it ends its connections too. */
export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/** A server that is told where to listen. */
export type Service = (address: string, isWeak: Weak) => Promise<Listening>

/** What one host of the laboratory is. */
export interface Role {
  readonly name: string
  readonly about: string
  readonly weaknesses: readonly Weakness[]
  /** What a scan should report whatever is mended. */
  readonly expected?: readonly string[]
  readonly services: readonly Service[]
}

/**
 * Listens on the first port of the list that is free and permitted; 0 is any.
 *
 * @throws the last error when none is
 */
export async function listenTcp(server: Server, address: string, ports: readonly number[]): Promise<Listening> {
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // Scanners break off as they please.
    socket.on('error', () => socket.destroy())
  })
  const port = await firstFree(ports, async (candidate) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    server.once('error', reject)
    server.listen(candidate, address, () => {
      server.off('error', reject)
      resolve(portOf(server.address()))
    })
    return promise
  })
  return {
    port,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>()
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
      await promise
    },
  }
}

/** The same for a datagram socket. A socket that failed cannot be bound again, so each try makes one. */
export async function listenUdp(
  make: () => DatagramSocket,
  address: string,
  ports: readonly number[],
): Promise<Listening> {
  const bound: DatagramSocket[] = []
  const port = await firstFree(ports, async (candidate) => {
    const socket = make()
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    socket.once('error', (error) => {
      socket.close()
      reject(error)
    })
    socket.bind(candidate, address, () => {
      bound.push(socket)
      resolve(socket.address().port)
    })
    return promise
  })
  return {
    port,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>()
      for (const socket of bound) socket.close(() => resolve())
      await promise
    },
  }
}

async function firstFree(ports: readonly number[], attempt: (port: number) => Promise<number>): Promise<number> {
  let last: unknown = new Error('no port to listen on')
  for (const port of ports) {
    try {
      return await attempt(port)
    } catch (error) {
      if (!isTaken(error)) throw error
      last = error
    }
  }
  throw last
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EADDRINUSE')
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return address.port
}
