/** A round-robin proxy that takes processes out of rotation by their health check, and never repeats a request. */
import { Agent, createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http'
import { once } from 'node:events'

/** Ports of the processes. May change at any time. */
export interface Backends {
  readonly api: readonly number[]
  readonly identity: readonly number[]
}

export interface Proxy {
  /** Resolves once all processes are in rotation. */
  settled(): Promise<void>
  /** How many requests each process has received. */
  readonly received: ReadonlyMap<number, number>
  close(): Promise<void>
}

const checkMs = 100
const identityPaths = /^\/(self-service|sessions|schemas|\.well-known)(\/|$)/

export async function startProxy(port: number, backends: () => Backends): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true })
  const healthy = new Set<number>()
  const all = () => [...backends().api, ...backends().identity]
  const received = new Map<number, number>()
  let turn = 0
  const server = createServer((request, response) => {
    const { api, identity } = backends()
    const ports = (identityPaths.test(request.url ?? '') ? identity : api).filter((item) => healthy.has(item))
    const chosen = ports[turn++ % ports.length]
    if (chosen === undefined) return void response.writeHead(502).end('{"message":"no process in rotation"}')
    received.set(chosen, (received.get(chosen) ?? 0) + 1)
    forward(request, response, { agent, port: chosen })
  })
  const check = async (item: number) => {
    if (await isReady(item)) healthy.add(item)
    else healthy.delete(item)
  }
  const timer = setInterval(() => {
    for (const item of all()) void check(item)
  }, checkMs)
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    received,
    async settled() {
      const deadline = performance.now() + 60_000
      while (all().some((item) => !healthy.has(item))) {
        if (performance.now() > deadline) throw new Error(`in rotation: ${[...healthy].join(', ')}`)
        await new Promise((done) => setTimeout(done, checkMs))
      }
    },
    async close() {
      clearInterval(timer)
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(2000) })).ok
  } catch {
    return false
  }
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { agent, port }: { readonly agent: Agent; readonly port: number },
): void {
  const { method, url: path, headers } = request
  const upstream = send({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
    // Hop-by-hop: the connection to the client stays open.
    const { connection: _, 'keep-alive': __, ...others } = answer.headers
    response.writeHead(answer.statusCode ?? 502, others)
    answer.pipe(response)
  })
  upstream.on('error', (error) => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end(JSON.stringify({ message: `connection lost: ${error.message}` }))
  })
  response.on('close', () => upstream.destroy())
  request.pipe(upstream)
}
