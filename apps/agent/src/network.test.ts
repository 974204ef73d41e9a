/** The agent as a process, through proxies and to a server with a private certificate. */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createProxy, type Server } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SelfSigned, selfSigned } from '../../../lab/certificate.ts'

const main = fileURLToPath(new URL('main.ts', import.meta.url))
const token = `gla_${'a'.repeat(43)}`
/** The server was reached and responded. */
const answered = { code: 78, output: expect.stringMatching(/does not recognize this token/) }
const credentials = { user: 'agent', password: 'p@ss:word' }

let folder: string
let server: Server
let proxy: Server
let requests: string[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-agent-network-'))
  const pair = certificate('localhost', -1, 1)
  await writeFile(join(folder, 'ca.pem'), pair.cert)
  server = await serve(pair)
  proxy = createProxy().on('connect', (request, socket) => {
    requests.push(request.url ?? '')
    const expected = Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')
    if (request.headers['proxy-authorization'] !== `Basic ${expected}`) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="test"\r\n\r\n')
      return
    }
    const upstream = connect(portOf(server), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const)
      from.on('error', () => to.destroy()).pipe(to)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  for (const one of [server, proxy]) one.close()
  await rm(folder, { recursive: true, force: true })
})

/** A self-signed certificate. @param from first day of its validity, relative to now @param to last day */
function certificate(name: string, from: number, to: number): SelfSigned {
  const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000)
  return selfSigned(name, { bits: 2048, from: dayFromNow(from), to: dayFromNow(to) })
}

/** A server that rejects every token. @param onRequest called for each request that arrives */
async function serve(pair: SelfSigned, onRequest: () => void = () => undefined): Promise<Server> {
  const started = createServer(pair, (request, response) => {
    onRequest()
    request.resume()
    const body = JSON.stringify({ code: 16, message: 'unknown key', details: [] })
    response.writeHead(401, { 'content-type': 'application/json' }).end(body)
  })
  await once(started.listen(0, '127.0.0.1'), 'listening')
  return started
}

const portOf = (one: Server) => (one.address() as AddressInfo).port // it listens on a port
const proxyUrl = (port: number, { user, password } = credentials) =>
  `http://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}`

/** Runs the agent until it exits, or for the time that the first connection takes. */
function runAgent(env: Record<string, string>, ...args: string[]) {
  return runAgentOf(server, env, ...args)
}

async function runAgentOf(target: Server, env: Record<string, string>, ...args: string[]) {
  requests = []
  const state = join(folder, 'state')
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; output: string }>()
  const command = [main, '--server', `https://localhost:${portOf(target)}`, '--state', state, ...args]
  const { NODE_COMPILE_CACHE } = process.env
  const all = { NODE_COMPILE_CACHE, GLACIS_AGENT_TOKEN: token, ...env }
  execFile(process.execPath, command, { env: all }, (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, output: stdout + stderr }),
  )
  return promise
}

it('SEC-F3 trusts a private CA given with --ca', async () => {
  expect(await runAgent({}, '--ca', join(folder, 'ca.pem'))).toMatchObject(answered)
})

it.each([
  ['an untrusted', certificate('localhost', -1, 1), false, /is self-signed; pass its file with --ca/],
  ['an expired', certificate('localhost', -2, -1), true, /has expired; renew it on the server/],
  ['a not yet valid', certificate('localhost', 1, 2), true, /is not valid yet/],
  ["another hostname's", certificate('other.example', -1, 1), true, /was issued for a different hostname/],
])('SEC-F3 rejects %s certificate before it sends the token', async (_case, pair, isTrusted, output) => {
  let requestCount = 0
  const impostor = await serve(pair, () => requestCount++)
  await writeFile(join(folder, 'impostor.pem'), pair.cert)
  try {
    const args = isTrusted ? ['--ca', join(folder, 'impostor.pem')] : []
    expect(await runAgentOf(impostor, {}, ...args)).toMatchObject({ code: 1, output: expect.stringMatching(output) })
    expect(requestCount).toBe(0)
  } finally {
    impostor.close()
  }
})

it.each([
  ['nowhere.pem', undefined, /Can't read the CA certificates/],
  ['empty.pem', 'nothing', /contains no certificate in PEM format\.$/m],
  ['damaged.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', /contains a damaged certificate\.$/m],
])('explains %s', async (name, content, output) => {
  if (content !== undefined) await writeFile(join(folder, name), content)
  expect(await runAgent({}, '--ca', join(folder, name))).toMatchObject({
    code: 1,
    output: expect.stringMatching(output),
  })
})

it('connects through a proxy with authentication', async () => {
  const env = { HTTPS_PROXY: proxyUrl(portOf(proxy)) }
  expect(await runAgent(env, '--ca', join(folder, 'ca.pem'))).toMatchObject(answered)
  expect(requests).toEqual([`localhost:${portOf(server)}`])
})

it('connects directly to a server in NO_PROXY', async () => {
  const env = { HTTPS_PROXY: proxyUrl(portOf(proxy)), NO_PROXY: 'localhost' }
  expect(await runAgent(env, '--ca', join(folder, 'ca.pem'))).toMatchObject(answered)
  expect(requests).toEqual([])
})

it('explains a wrong proxy password', async () => {
  const env = { HTTPS_PROXY: proxyUrl(portOf(proxy), { user: 'agent', password: 'wrong' }) }
  const ended = await runAgent(env, '--ca', join(folder, 'ca.pem'))
  expect(ended).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^The proxy rejected the username or password/),
  })
  expect(ended.output).not.toContain('wrong@')
})

it('explains an invalid proxy URL', async () => {
  expect(await runAgent({ HTTPS_PROXY: 'proxy:3128' })).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^HTTPS_PROXY is not a valid proxy URL/),
  })
})

/** The path in Debian's package. */
const tinyproxy = '/usr/bin/tinyproxy'
const hasTinyproxy = spawnSync(tinyproxy, ['-v']).status === 0
it.skipIf(!hasTinyproxy)('works with tinyproxy (skipped where it is not installed)', async () => {
  const port = 21_000 + Math.floor(Math.random() * 200)
  const settings = { user: 'agent', password: 'long-password' }
  const config = `Port ${port}\nListen 127.0.0.1\nTimeout 30\nAllow 127.0.0.1\nBasicAuth ${settings.user} ${settings.password}\n`
  await writeFile(join(folder, 'tinyproxy.conf'), config)
  const real = spawn(tinyproxy, ['-d', '-c', join(folder, 'tinyproxy.conf')], { stdio: 'ignore' })
  try {
    await expect.poll(() => isListening(port)).toBe(true)
    const ca = ['--ca', join(folder, 'ca.pem')]
    expect(await runAgent({ HTTPS_PROXY: proxyUrl(port, settings) }, ...ca)).toMatchObject(answered)
    const wrong = proxyUrl(port, { user: 'agent', password: 'wrong' })
    expect(await runAgent({ HTTPS_PROXY: wrong }, ...ca)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^The proxy rejected the username or password/),
    })
  } finally {
    real.kill()
  }
})

function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
