/**
 * The identity service over HTTP: what a sign-in costs beside the hash that it cannot do without, what
 * a whoami costs beside the least that a server can answer, and how much memory a rush takes.
 * One line of JSON per figure; figures of processor time are of the server's process alone. Linux only.
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
const rush = 50
const calls = 3000
/** Kernel clock ticks in a second, as /proc counts processor time. */
const ticksPerSecond = 100
const derive = promisify(argon2)

const dataFolder = await mkdtemp(join(tmpdir(), 'glacis-bench-'))
const product = await startProduct({ port: await freePort(), dataFolder, settings: { GLACIS_LOG_LEVEL: 'error' } })
const agent = new Agent({ keepAlive: true, maxSockets: rush })
const pid = product.process.pid ?? 0
try {
  const session = await signUp()
  await repeat(300, () => ask('GET', '/sessions/whoami', session))

  const alive = await cost(calls, () => ask('GET', '/health/alive', session))
  const whoami = await cost(calls, () => ask('GET', '/sessions/whoami', session))
  report({ figure: 'whoami, server processor', value: whoami.processorMs * 1000, unit: 'µs', limit: 600 })
  report({ figure: 'of that, /health/alive', value: alive.processorMs * 1000, unit: 'µs', limit: 600 })
  report({
    figure: 'whoami beside /health/alive',
    value: (100 * whoami.processorMs) / alive.processorMs,
    unit: '%',
    limit: 400,
  })

  const lanes = availableParallelism()
  await repeat(lanes * 4, () => signIn(), lanes)
  const bare = await cost(signIns, hash, lanes, process.pid)
  const whole = await cost(signIns, () => signIn(), lanes)
  // A sign-in is a form, a submit and a hash; the hash alone is the part that must cost.
  const limit = bare.processorMs / 0.8
  report({ figure: 'sign-in, server processor', value: whole.processorMs, unit: 'ms', limit })
  report({ figure: 'of that, argon2id alone', value: bare.processorMs, unit: 'ms', limit })

  // Fifty people, for fifty sign-ins of one account at once are what guessing looks like.
  let made = 0
  await repeat(rush, () => signUp(`person${made++}@aarewerk.example`), lanes)
  const before = await resident()
  let peak = before
  const watching = setInterval(() => void resident().then((now) => (peak = Math.max(peak, now))), 20)
  let come = 0
  await repeat(rush, () => signIn(`person${come++}@aarewerk.example`), rush)
  clearInterval(watching)
  report({ figure: `memory of ${rush} sign-ins at once`, value: (peak - before) / 1e6, unit: 'MB', limit: 120 })
} finally {
  agent.destroy()
  await product.stop()
  await rm(dataFolder, { recursive: true, force: true })
}

interface Answer {
  readonly status: number
  readonly cookies: string
  readonly body: string
}

async function ask(method: 'GET' | 'POST', path: string, cookie = '', body?: object): Promise<Answer> {
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
  const [answer] = await once(call, 'response')
  const lines: string[] = answer.headers['set-cookie'] ?? []
  return {
    status: answer.statusCode,
    cookies: lines.map((line) => line.split(';')[0]).join('; '),
    body: await text(answer),
  }
}

async function submit(kind: string, fields: object): Promise<Answer> {
  const start = await ask('GET', `/self-service/${kind}/browser`)
  const { ui } = JSON.parse(start.body)
  const token = ui.nodes.find((node: { attributes: { name?: string } }) => node.attributes.name === 'csrf_token')
  const action = new URL(ui.action)
  const csrf_token = token.attributes.value
  const done = await ask('POST', `${action.pathname}${action.search}`, start.cookies, { csrf_token, ...fields })
  if (done.status !== 200) throw new Error(`${kind}: ${done.status} ${done.body.slice(0, 300)}`)
  return done
}

async function signUp(email = person.email): Promise<string> {
  const traits = { email, name: { first: 'Nora', last: 'Ammann' } }
  return (await submit('registration', { method: 'password', traits, password: person.password })).cookies
}
function signIn(identifier = person.email): Promise<Answer> {
  return submit('login', { method: 'password', identifier, password: person.password })
}

function hash(): Promise<Buffer> {
  const options = { message: person.password, nonce: randomBytes(16), memory: 19 * 1024, passes: 2, parallelism: 1 }
  return derive('argon2id', { ...options, tagLength: 32 })
}

async function repeat(times: number, work: () => Promise<unknown>, atOnce = 1): Promise<void> {
  let left = times
  const lane = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

/** What one round costs, in milliseconds: of a clock, and of a process's share of the processor. */
async function cost(times: number, work: () => Promise<unknown>, atOnce = 1, of = pid) {
  const [processor, begin] = [await processorMs(of), performance.now()]
  await repeat(times, work, atOnce)
  return {
    wallMs: (performance.now() - begin) / times,
    processorMs: ((await processorMs(of)) - processor) / times,
  }
}

/** User and system time of a process: fields 14 and 15 of proc_pid_stat(5). */
async function processorMs(of: number): Promise<number> {
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
