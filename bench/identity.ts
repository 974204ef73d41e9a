/**
 * Benchmarks the identity service over HTTP: the cost of a sign-in compared to its password hash, the cost of whoami
 * compared to a trivial request, and memory during concurrent sign-ins. One line of JSON per figure; CPU times are of
 * the server's process only. Linux only.
 */
import { argon2, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { once } from 'node:events'
import { startProduct } from '../lab/product.ts'
import { freePort } from '../e2e/ports.ts'

const person = { email: 'nora.ammann@aarewerk.example', password: 'contour-line-4478' }
const signIns = 120
const concurrentSignIns = 50
const calls = 3000
/** Kernel clock ticks per second, the unit of CPU times in /proc. */
const ticksPerSecond = 100
const hashPassword = promisify(argon2)

const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-bench-'))
const product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'error' } })
const agent = new Agent({ keepAlive: true, maxSockets: concurrentSignIns })
const pid = product.process.pid ?? 0
try {
  const session = await signUp()
  await repeat(300, () => send('GET', '/sessions/whoami', session))

  const trivial = await cost(calls, () => send('GET', '/health/alive', session))
  const whoami = await cost(calls, () => send('GET', '/sessions/whoami', session))
  report({ figure: 'whoami, server CPU', value: whoami.cpuMs * 1000, unit: 'µs', limit: 600 })
  report({ figure: 'of which a trivial request (/health/alive)', value: trivial.cpuMs * 1000, unit: 'µs', limit: 600 })
  report({
    figure: 'whoami compared to /health/alive',
    value: (100 * whoami.cpuMs) / trivial.cpuMs,
    unit: '%',
    limit: 400,
  })

  const cores = availableParallelism()
  await repeat(cores * 4, () => signIn(), cores)
  const hashOnly = await cost(signIns, hash, cores, process.pid)
  const fullSignIn = await cost(signIns, () => signIn(), cores)
  // A sign-in loads a form, submits it, and hashes the password. Only the hash is meant to be expensive.
  const limit = hashOnly.cpuMs / 0.8
  report({ figure: 'sign-in, server CPU', value: fullSignIn.cpuMs, unit: 'ms', limit })
  report({ figure: 'of which argon2id', value: hashOnly.cpuMs, unit: 'ms', limit })

  // Fifty different users, because fifty concurrent sign-ins of one account would be throttled as password guessing.
  let signUps = 0
  await repeat(concurrentSignIns, () => signUp(`person${signUps++}@aarewerk.example`), cores)
  const before = await resident()
  let peak = before
  const watching = setInterval(() => void resident().then((now) => (peak = Math.max(peak, now))), 20)
  let signedIn = 0
  await repeat(concurrentSignIns, () => signIn(`person${signedIn++}@aarewerk.example`), concurrentSignIns)
  clearInterval(watching)
  report({
    figure: `memory of ${concurrentSignIns} concurrent sign-ins`,
    value: (peak - before) / 1e6,
    unit: 'MB',
    limit: 120,
  })
} finally {
  agent.destroy()
  await product.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

interface HttpResponse {
  readonly status: number
  readonly cookies: string
  readonly body: string
}

async function send(method: 'GET' | 'POST', path: string, cookie = '', body?: object): Promise<HttpResponse> {
  const payload = body && JSON.stringify(body)
  const call = request(`${product.url}${path}`, {
    method,
    agent,
    headers: {
      accept: 'application/json',
      ...(cookie && { cookie }),
      ...(payload && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    },
  })
  call.end(payload)
  const [response] = await once(call, 'response')
  const lines: string[] = response.headers['set-cookie'] ?? []
  return {
    status: response.statusCode,
    cookies: lines.map((line) => line.split(';')[0]).join('; '),
    body: await text(response),
  }
}

async function submit(kind: string, fields: object): Promise<HttpResponse> {
  const start = await send('GET', `/self-service/${kind}/browser`)
  const { ui } = JSON.parse(start.body)
  const token = ui.nodes.find((node: { attributes: { name?: string } }) => node.attributes.name === 'csrf_token')
  const action = new URL(ui.action)
  const csrf_token = token.attributes.value
  const done = await send('POST', `${action.pathname}${action.search}`, start.cookies, { csrf_token, ...fields })
  if (done.status !== 200) throw new Error(`${kind}: ${done.status} ${done.body.slice(0, 300)}`)
  return done
}

async function signUp(email = person.email): Promise<string> {
  const traits = { email, name: { first: 'Nora', last: 'Ammann' } }
  return (await submit('registration', { method: 'password', traits, password: person.password })).cookies
}
function signIn(identifier = person.email): Promise<HttpResponse> {
  return submit('login', { method: 'password', identifier, password: person.password })
}

function hash(): Promise<Buffer> {
  const options = { message: person.password, nonce: randomBytes(16), memory: 19 * 1024, passes: 2, parallelism: 1 }
  return hashPassword('argon2id', { ...options, tagLength: 32 })
}

async function repeat(times: number, work: () => Promise<unknown>, concurrency = 1): Promise<void> {
  let remaining = times
  const worker = async () => {
    while (remaining-- > 0) await work()
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

/** Wall time and CPU time per call, in milliseconds. */
async function cost(times: number, work: () => Promise<unknown>, concurrency = 1, of = pid) {
  const [cpuBefore, startedAt] = [await cpuMs(of), performance.now()]
  await repeat(times, work, concurrency)
  return {
    wallMs: (performance.now() - startedAt) / times,
    cpuMs: ((await cpuMs(of)) - cpuBefore) / times,
  }
}

/** User and system time of a process: fields 14 and 15 of proc_pid_stat(5). */
async function cpuMs(of: number): Promise<number> {
  const stat = await readFile(`/proc/${of}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1000
}

async function resident(): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}

function report(row: { figure: string; value: number; unit: string; limit: number }): void {
  console.log(JSON.stringify(row))
}
