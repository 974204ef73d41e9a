/**
 * Listens with the minimum backlog on the address in the first argument, prints the port, and never
 * accepts a connection.
 */
import { createServer } from 'node:net'

const server = createServer()
server.listen({ host: process.argv[2], port: 0, backlog: 1 }, () => {
  const bound = server.address()
  const whenSent = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  process.send?.(typeof bound === 'object' && bound ? bound.port : 0, whenSent)
})
