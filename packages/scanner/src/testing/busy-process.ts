/** Listens with the shortest queue on the address in the first argument, tells the port, and then takes nobody in. */
import { createServer } from 'node:net'

const server = createServer()
server.listen({ host: process.argv[2], port: 0, backlog: 1 }, () => {
  const bound = server.address()
  const told = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  process.send?.(typeof bound === 'object' && bound ? bound.port : 0, told)
})
