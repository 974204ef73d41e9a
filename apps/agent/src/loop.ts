/** The life of an agent: connect, say that it lives, take jobs, and leave in good order. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { arch, hostname, networkInterfaces, platform } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { connectAgent, disconnectAgent, heartbeatAgent, runnerProtocol, takeAgentJob } from '@glacis/contract/runner'
import { z } from 'zod'
import { type Client, createClient, Refused, Unreachable } from './client.ts'
import { runJob } from './job.ts'
import { Obstacle } from './obstacle.ts'
import type { Options } from './options.ts'
import { createPackStore } from './packs.ts'
import { digestOf, keep, prepareFolder, readKept } from './state.ts'

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest))

/** Jobs side by side, as a worker of the server runs them. */
const jobsAtOnce = 2
/** Longer than the server waits for a job. */
const takeMsMax = 35_000
const backOffMs = { first: 500, most: 30_000 }
const clockOffMsMax = 60_000

interface Agent {
  readonly client: Client
  readonly options: Options
  readonly instance: string
  readonly signal: AbortSignal
  heartbeatMs: number
}

/**
 * Runs until the signal aborts, then gives back what it holds and resolves.
 *
 * @throws Obstacle when the server will not have this agent, or the first connection cannot be trusted
 */
export async function runAgent(options: Options, stop: AbortSignal): Promise<void> {
  await prepareFolder(options.stateFolder)
  const kept = await readKept(options.stateFolder, options.server)
  const isNewToken = options.token !== undefined && digestOf(options.token) !== kept?.tokenDigest
  const bearer = isNewToken || !kept ? options.token : kept.key
  if (bearer === undefined) throw new Obstacle('The first start needs a token; give it with --token-file.')
  const failing = new AbortController()
  const signal = AbortSignal.any([stop, failing.signal])
  const client = createClient(options.server, bearer)
  const agent: Agent = { client, options, instance: randomUUID(), signal, heartbeatMs: 20_000 }
  try {
    await connectAtLast(agent, isNewToken ? kept?.key : undefined)
    if (signal.aborted) return
    const packs = createPackStore(options, client)
    const works = Array.from({ length: jobsAtOnce }, () => takeJobs(agent, packs))
    await Promise.all([keepAlive(agent), ...works].map((work) => work.catch((error: unknown) => failing.abort(error))))
    await leave(agent)
  } catch (error) {
    if (!stop.aborted) throw error
  }
  if (failing.signal.aborted && !stop.aborted) throw failing.signal.reason
}

/** Connects, however long it takes. A key of before is tried when the token is not wanted any more. */
async function connectAtLast(agent: Agent, otherKey: string | undefined): Promise<void> {
  let isFirst = true
  await persist(agent.signal, async () => {
    try {
      await connect(agent)
    } catch (error) {
      if (
        error instanceof Refused &&
        error.status === 401 &&
        otherKey !== undefined &&
        agent.client.bearer !== otherKey
      ) {
        agent.client.bearer = otherKey
        return connect(agent)
      }
      if (error instanceof Unreachable && error.isCertificate && isFirst)
        throw new Obstacle(error.message, { cause: error })
      isFirst = false
      throw error
    }
  })
}

async function connect(agent: Agent): Promise<void> {
  const { client, options, instance, signal } = agent
  const token = client.bearer.startsWith('gla_') ? client.bearer : undefined
  const input = {
    protocol: runnerProtocol,
    version,
    system: `${platform()} ${arch()}`,
    hostname: hostname(),
    networks: networksHere(),
    instance,
    time: new Date().toISOString(),
  }
  const answer = await client.call(connectAgent, input, { signal })
  if (answer.key !== undefined && token !== undefined) {
    const kept = { server: options.server, agentId: answer.agentId, key: answer.key, tokenDigest: digestOf(token) }
    const aside = await keep(options.stateFolder, kept)
    client.bearer = answer.key
    if (aside !== null) {
      say(
        `This folder held the key of another agent, which is in ${aside} now. To run both, give each its own --state.`,
      )
    }
  }
  agent.heartbeatMs = Number.parseFloat(answer.heartbeatInterval) * 1000
  say(`Connected to ${options.server} as ${answer.name}.`)
  if (answer.latestVersion !== version)
    say(`The server has version ${answer.latestVersion}, this agent ${version}: update it.`)
  const offMs = Date.now() - Date.parse(answer.serverTime)
  if (Math.abs(offMs) > clockOffMsMax) {
    say(
      `The clock of this machine is ${Math.round(Math.abs(offMs) / 1000)} seconds ${offMs > 0 ? 'ahead' : 'behind'}: set it.`,
    )
  }
}

async function keepAlive(agent: Agent): Promise<void> {
  let latencyMs = await beat(agent, undefined)
  // The first beat measures what the second one tells.
  let waitMs = 0
  while (!agent.signal.aborted) {
    await quietPause(waitMs, agent.signal)
    if (agent.signal.aborted) return
    latencyMs = await beat(agent, latencyMs)
    waitMs = agent.heartbeatMs
  }
}

/** One sign of life, repeated until it arrives. @returns how long it took, in milliseconds */
async function beat(agent: Agent, latencyMs: number | undefined): Promise<number | undefined> {
  return persist(agent.signal, async () => {
    const from = performance.now()
    const latency = latencyMs === undefined ? undefined : `${(latencyMs / 1000).toFixed(3)}s`
    try {
      const input = { time: new Date().toISOString(), ...(latency && { latency }) }
      await agent.client.call(heartbeatAgent, input, { signal: agent.signal })
    } catch (error) {
      // The server has given us up meanwhile.
      if (!(error instanceof Refused) || error.status !== 409) throw error
      await connect(agent)
      return undefined
    }
    return performance.now() - from
  })
}

async function takeJobs(agent: Agent, packs: ReturnType<typeof createPackStore>): Promise<void> {
  const { client, options, signal } = agent
  while (!signal.aborted) {
    const answer = await persist(signal, () => client.call(takeAgentJob, {}, { signal, withinMs: takeMsMax }), false)
    if (!answer?.job || signal.aborted) continue
    const { id, hosts } = answer.job
    say(`Job ${id}: ${hosts.length === 1 ? '1 address' : `${hosts.length} addresses`}.`)
    const outcome = await runJob(answer.job, { client, packs, networks: options.networks, signal, say })
    say(`Job ${id}: ${outcome}.`)
  }
}

async function leave({ client, signal }: Agent): Promise<void> {
  // The key may be the very thing that is refused.
  if (signal.reason instanceof Obstacle) return
  await client.call(disconnectAgent, {}, { signal: AbortSignal.timeout(3000) }).catch(() => undefined)
  say('Disconnected.')
}

/**
 * Does it again, with growing pauses, until the server answers. Undefined once the signal aborts.
 *
 * @throws Obstacle when the server refuses
 */
async function persist<T>(signal: AbortSignal, work: () => Promise<T>, isTold = true): Promise<T | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      const value = await work()
      if (attempt > 0 && isTold) say('The server answers again.')
      return value
    } catch (error) {
      if (signal.aborted) return undefined
      if (error instanceof Refused) throw new Obstacle(wordsFor(error), { cause: error, exitCode: 78 })
      if (!(error instanceof Unreachable)) throw error
      if (attempt === 0 && isTold) say(`${error.message.replace(/[^.?!]$/, '$&.')} Trying again.`)
      const waitMs = Math.min(backOffMs.most, backOffMs.first * 2 ** Math.min(attempt, 10))
      await quietPause(waitMs * (0.5 + Math.random() / 2), signal)
      if (signal.aborted) return undefined
    }
  }
}

function wordsFor({ status, message }: Refused): string {
  if (status !== 401) return `The server refuses this agent: ${message}.`
  return 'The server does not know this token or key: it was used, has expired or was revoked. Make a new token on the page of the agent, and start with it.'
}

async function quietPause(waitMs: number, signal: AbortSignal): Promise<void> {
  await pause(waitMs, undefined, { signal }).catch(() => undefined)
}

function networksHere(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return [...new Set(found.flatMap((one) => (one.internal || !one.cidr ? [] : [one.cidr])))].slice(0, 64)
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`)
}
