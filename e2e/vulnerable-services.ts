/** Three weaknesses that can be fixed one by one, on local addresses. */
import { once } from 'node:events'
import { createServer as createWeb } from 'node:http'
import { createServer, type Server } from 'node:net'

export interface VulnerableServices {
  /** The web server exposes its Git repository. */
  isGitExposed: boolean
  /** The web server's header reports an outdated Apache. */
  isApacheOld: boolean
  /** Redis requires no authentication. */
  isRedisOpen: boolean
  stop(): Promise<void>
}

const config =
  '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[remote "origin"]\n\turl = https://git.example.ch/web.git\n'

/** @param network first three octets of the addresses */
export async function startVulnerableServices(network: string): Promise<VulnerableServices> {
  const [webAddress, redisAddress] = [`${network}.2`, `${network}.3`]
  const weak: VulnerableServices = { isGitExposed: true, isApacheOld: true, isRedisOpen: true, stop }
  const web = createWeb((request, response) => {
    response.setHeader('server', weak.isApacheOld ? 'Apache/2.4.49 (Unix)' : 'Apache/2.4.66 (Unix)')
    if (request.url === '/.git/config' && weak.isGitExposed)
      return response.setHeader('content-type', 'text/plain').end(config)
    if (request.url !== '/')
      return response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not found</title>')
    return response.setHeader('content-type', 'text/html').end('<!doctype html><title>Aarewerk</title><h1>Welcome</h1>')
  }).listen(8080, webAddress)
  const redis = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data) => socket.write(redisAnswer(data.toString('latin1'), weak.isRedisOpen)))
  }).listen(6379, redisAddress)
  await Promise.all([web, redis].map((server) => once(server, 'listening')))
  async function stop(): Promise<void> {
    web.closeAllConnections()
    await Promise.all([web, redis].map(close))
  }
  return weak
}

function redisAnswer(text: string, isOpen: boolean): string {
  if (!/info|ping/i.test(text)) return '-ERR unknown command\r\n'
  if (!isOpen) return '-NOAUTH Authentication required.\r\n'
  if (/ping/i.test(text)) return '+PONG\r\n'
  const info = '# Server\r\nredis_version:7.4.2\r\nredis_mode:standalone\r\nos:Linux 6.1.0 x86_64\r\ntcp_port:6379\r\n'
  return `$${info.length}\r\n${info}\r\n`
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.unref()
  await Promise.race([closed, new Promise((resolve) => setImmediate(resolve))])
}
