/**
 * `node soak/relay.ts ADDRESS PORT SOCKET`: accepts TCP connections in its network namespace and forwards them to a Unix
 * socket, which connects networks that are otherwise separate. Prints its process ID. SIGUSR1 adds a delay of 300 ms,
 * SIGUSR2 removes it.
 */
import { connect, createServer, type Socket } from 'node:net'

const [address = '', port = '', socketPath = ''] = process.argv.slice(2)
const delayMsMax = 300
let delayMs = 0
process.on('SIGUSR1', () => void (delayMs = delayMsMax))
process.on('SIGUSR2', () => void (delayMs = 0))

createServer((incoming) => {
  const outgoing = connect(socketPath)
  forward(incoming, outgoing)
  forward(outgoing, incoming)
}).listen(Number(port), address, () => process.stdout.write(`${process.pid}\n`))

function forward(from: Socket, to: Socket): void {
  const later = (work: () => void) => void (delayMs === 0 ? work() : setTimeout(work, delayMs))
  from.on('data', (chunk) => later(() => to.write(chunk)))
  from.on('end', () => later(() => to.end()))
  from.on('error', () => to.destroy())
  from.on('close', () => later(() => to.destroy()))
}
