import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'

/** A test server. Closing it also closes its connections. */
export interface Loopback extends AsyncDisposable {
  readonly address: string
  readonly port: number
  /** Bytes received on all connections, as Latin-1. */
  received(): string
}

/**
 * Starts a TCP server on an address of 127.0.0.0/8 with a connection handler.
 *
 * @param port 0: any free port
 */
export async function listen(address: string, port: number, handle: (socket: Socket) => void): Promise<Loopback> {
  const sockets = new Set<Socket>()
  let received = ''
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1').slice(0, 1000)
    })
    socket.on('end', () => socket.end())
    handle(socket)
  })
  server.listen(port, address)
  await once(server, 'listening')
  return {
    address,
    port: portOf(server),
    received: () => received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Whether the tests may bind this port; ports below 1024 can require privileges. */
export function mayListen(port: number): boolean {
  return port >= 1024 || process.getuid?.() === 0
}

function portOf(server: Server): number {
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) throw new Error('the server is not bound to a port')
  return bound.port
}

/** Sends a banner and waits. */
export function greet(greeting: string | Uint8Array): (socket: Socket) => void {
  return (socket) => socket.write(greeting)
}

/** Sends nothing and keeps the connection open. */
export function sendNothing(): void {}

/** Resets each connection immediately. */
export function reset(socket: Socket): void {
  socket.resetAndDestroy()
}

/** Sends one byte at a time forever. */
export function dribble(everyMs: number): (socket: Socket) => void {
  return (socket) => {
    const timer = setInterval(() => socket.write('x'), everyMs)
    socket.on('close', () => clearInterval(timer))
  }
}

/** Sends as much as the connection accepts, forever. */
export function flood(socket: Socket): void {
  const chunk = Buffer.alloc(64 * 1024, 'A')
  const pour = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', pour)
  pour()
}

/** Reads the ClientHello and starts a record that never ends. */
export function neverFinishTls(socket: Socket): void {
  socket.once('data', () => socket.write(Buffer.from([22, 3, 3, 0x40, 0, 2])))
}

/** Answers a request using the first matching pattern. */
export function respond(rules: readonly (readonly [RegExp, string | Uint8Array])[]): (socket: Socket) => void {
  return (socket) => {
    socket.on('data', (chunk) => {
      const reply = rules.find(([pattern]) => pattern.test(chunk.toString('latin1')))?.[1]
      if (reply !== undefined) socket.write(reply)
    })
  }
}
