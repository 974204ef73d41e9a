/**
 * Servers for the benchmark of the template engine, in their own process. Prints the port and exits with its parent.
 */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'

const page = { 'Content-Type': 'text/html' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
const bomb = gzipSync(Buffer.alloc(10 * 2 ** 20))
const notFound = `<html><body>${'not found '.repeat(8)}</body></html>`.slice(0, 90)

const kinds: Readonly<Record<string, RequestListener>> = {
  missing: (_request, response) => response.writeHead(404, page).end(notFound),
  echo: (request, response) =>
    response.writeHead(200, page).end(`<html><body>You asked for ${escaped(request.url ?? '')}</body></html>`),
  // Sends one byte every two seconds, forever.
  tarpit(_request, response) {
    response.writeHead(200, page)
    const timer = setInterval(() => response.write('a'), 2_000)
    response.on('close', () => clearInterval(timer))
  },
  // Ten kilobytes that decompress to ten megabytes, an endless redirect, and an endless body.
  bomb(request, response) {
    if (request.url?.startsWith('/loop'))
      return void response.writeHead(302, { Location: `/loop${Math.random()}` }).end()
    if (request.url !== '/endless')
      return void response.writeHead(200, { ...page, 'Content-Encoding': 'gzip' }).end(bomb)
    response.writeHead(200)
    const timer = setInterval(() => response.write(Buffer.alloc(65_536, 'z')), 5)
    response.on('close', () => clearInterval(timer))
  },
}

const listener = kinds[process.argv[2] ?? ''] ?? kinds['missing']
const addresses = process.argv.slice(3)
let port = 0
for (const address of addresses) {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener).listen(port, address)
  await once(server, 'listening')
  const bound = server.address()
  port = typeof bound === 'object' && bound ? bound.port : port
}
console.log(port)
process.on('disconnect', () => process.exit(0))
