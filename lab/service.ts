/** The building blocks of the lab's servers. */
import type { AddressInfo, Server } from 'node:net'
import type { Socket as DatagramSocket } from 'node:dgram'

/** A weakness of a host, which can be fixed while it is running. */
export interface Weakness {
  /** Unique in the lab. */
  readonly name: string
  /** The minimum that a scan should report for it: CVE IDs, and IDs of our checks. */
  readonly expected: readonly string[]
}

/** Whether a host still has a weakness; evaluated for every response. */
export type HasWeakness = (weakness: string) => boolean

/** A listening port. Closing it ends its connections too. */
export interface Listening {
  readonly port: number
  close(): Promise<void>
}

/** Starts a server on an address. */
export type Service = (address: string, hasWeakness: HasWeakness) => Promise<Listening>

/** A host of the lab. */
export interface HostDefinition {
  readonly name: string
  readonly description: string
  readonly weaknesses: readonly Weakness[]
  /** The minimum that a scan should report even if everything is fixed. */
  readonly expected?: readonly string[]
  readonly services: readonly Service[]
}

/**
 * Listens on the first port of the list that is free and permitted; 0 is any port.
 *
 * @throws the last error if there is none
 */
export async function listenTcp(server: Server, address: string, ports: readonly number[]): Promise<Listening> {
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // Scanners close connections at any time.
    socket.on('error', () => socket.destroy())
  })
  const port = await firstAvailable(ports, async (candidate) => {
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

/** The same for a UDP socket. A socket that failed to bind can't be reused, so each attempt creates one. */
export async function listenUdp(
  createSocket: () => DatagramSocket,
  address: string,
  ports: readonly number[],
): Promise<Listening> {
  const bound: DatagramSocket[] = []
  const port = await firstAvailable(ports, async (candidate) => {
    const socket = createSocket()
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

async function firstAvailable(ports: readonly number[], attempt: (port: number) => Promise<number>): Promise<number> {
  let last: unknown = new Error('No port to listen on')
  for (const port of ports) {
    try {
      return await attempt(port)
    } catch (error) {
      if (!isUnavailable(error)) throw error
      last = error
    }
  }
  throw last
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EADDRINUSE')
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('Not listening on a port')
  return address.port
}
