/**
 * A server on every address of this machine, so that a scan of 127.0.0.0/8 finds many hosts. Runs in its own process,
 * prints its port, and exits with its parent.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** The banner of a mail server: identified without further requests. */
const banner = '220 mail.aarewerk.example ESMTP Postfix (Debian/GNU)\r\n'
const server = createServer((socket) => {
  socket.on('error', () => undefined) // resets are common in scans
  socket.on('data', () => socket.write('502 5.5.2 Error: command not recognized\r\n'))
  socket.write(banner)
})
await once(server.listen(0, '0.0.0.0', 4096), 'listening')
const { port } = server.address() as AddressInfo // it listens on a port
console.log(port)
process.on('disconnect', () => process.exit(0))
