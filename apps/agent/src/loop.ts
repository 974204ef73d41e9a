/** Agent main loop: connect, send heartbeats, run jobs, and shut down cleanly. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { arch, hostname, networkInterfaces, platform } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { connectAgent, disconnectAgent, heartbeatAgent, runnerProtocol, takeAgentJob } from '@glacis/contract/runner'
import { z } from 'zod'
import { type Client, createClient, RejectedError, UnreachableError } from './client.ts'
import { runJob } from './job.ts'
import { CliError } from './cli-error.ts'
import { createInventoryReporter } from './inventory/report.ts'
import type { Options } from './options.ts'
import { createPackStore } from './packs.ts'
import { digestOf, storeKey, prepareFolder, readStoredKey } from './state.ts'

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
export const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest))

/** Concurrent jobs, as many as a server worker runs for one workspace. */
const concurrentJobs = 2
/** Longer than the server's long poll for a job. */
const takeJobTimeoutMs = 35_000
const backoffMs = { initial: 500, max: 30_000 }
const clockSkewMsMax = 60_000

interface Agent {
  readonly client: Client
  readonly options: Options
  readonly instance: string
  readonly signal: AbortSignal
  heartbeatMs: number
  /** Whether this agent reports the inventory of its machine; the server sends this with each heartbeat. */
  hasInventory: boolean
  /** The server's version at the first connection; a change indicates an update. */
  serverVersion: string | undefined
}

/** The server has been updated while the agent was running. */
export class UpdateAvailable extends Error {}

/**
 * Runs until the signal aborts, then returns its jobs and resolves.
 *
 * @throws CliError when the server rejects this agent or the first connection can't be trusted
 */
export async function runAgent(options: Options, stop: AbortSignal): Promise<void> {
  await prepareFolder(options.stateFolder)
  const storedKey = await readStoredKey(options.stateFolder, options.server)
  const isNewToken = options.token !== undefined && digestOf(options.token) !== storedKey?.tokenDigest
  const bearer = isNewToken || !storedKey ? options.token : storedKey.key
  if (bearer === undefined) throw new CliError('No token given. The first start requires one; pass --token-file.')
  const failing = new AbortController()
  const signal = AbortSignal.any([stop, failing.signal])
  const client = createClient(options.server, bearer)
  const agent: Agent = {
    client,
    options,
    instance: randomUUID(),
    signal,
    heartbeatMs: 20_000,
    hasInventory: false,
    serverVersion: undefined,
  }
  try {
    await connectWithRetry(agent, isNewToken ? storedKey?.key : undefined)
    if (signal.aborted) return
    const packs = createPackStore(options, client)
    const loops = Array.from({ length: concurrentJobs }, () => takeJobs(agent, packs))
    await Promise.all(
      [keepAlive(agent), keepInventory(agent), ...loops].map((work) =>
        work.catch((error: unknown) => failing.abort(error)),
      ),
    )
    await disconnect(agent)
  } catch (error) {
    if (!stop.aborted) throw error
  }
  if (failing.signal.aborted && !stop.aborted) throw failing.signal.reason
}

/**
 * Connects, retrying without a time limit. Falls back to the stored key when the token is no longer
 * valid.
 */
async function connectWithRetry(agent: Agent, fallbackKey: string | undefined): Promise<void> {
  let isFirst = true
  await retryUntilResponse(agent.signal, async () => {
    try {
      await connect(agent)
    } catch (error) {
      if (
        error instanceof RejectedError &&
        error.status === 401 &&
        fallbackKey !== undefined &&
        agent.client.bearer !== fallbackKey
      ) {
        agent.client.bearer = fallbackKey
        return connect(agent)
      }
      if (error instanceof UnreachableError && error.isMisconfigured && isFirst)
        throw new CliError(error.message, { cause: error })
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
    networks: localNetworks(),
    instance,
    time: new Date().toISOString(),
  }
  const response = await client.call(connectAgent, input, { signal })
  if (response.key !== undefined && token !== undefined) {
    const storedKey = {
      server: options.server,
      agentId: response.agentId,
      key: response.key,
      tokenDigest: digestOf(token),
    }
    const movedKeyFile = await storeKey(options.stateFolder, storedKey)
    client.bearer = response.key
    if (movedKeyFile !== null) {
      print(
        `The key of another agent was found in this folder and moved to ${movedKeyFile}. To run both agents, use a separate --state folder for each.`,
      )
    }
  }
  agent.heartbeatMs = Number.parseFloat(response.heartbeatInterval) * 1000
  print(`Connected to ${options.server} as ${response.name}.`)
  process.send?.('connected')
  if (response.latestVersion !== version)
    print(
      `The server has version ${response.latestVersion}; this agent has ${version}. Update the agent${options.updates ? '' : ', or start it with --update'}.`,
    )
  noticeUpdate(agent, response.latestVersion)
  const clockSkewMs = Date.now() - Date.parse(response.serverTime)
  if (Math.abs(clockSkewMs) > clockSkewMsMax) {
    print(
      `This machine's clock is ${Math.round(Math.abs(clockSkewMs) / 1000)} seconds ${clockSkewMs > 0 ? 'ahead' : 'behind'}. Synchronize it.`,
    )
  }
}

/** @throws UpdateAvailable if the server's version has changed and the agent updates itself */
function noticeUpdate(agent: Agent, latestVersion: string): void {
  agent.serverVersion ??= latestVersion
  if (agent.options.updates && latestVersion !== version && latestVersion !== agent.serverVersion)
    throw new UpdateAvailable(`The server has version ${latestVersion}.`)
}

async function keepAlive(agent: Agent): Promise<void> {
  let latencyMs = await sendHeartbeat(agent, undefined)
  // The first heartbeat measures the latency that the second one reports.
  let waitMs = 0
  while (!agent.signal.aborted) {
    await wait(waitMs, agent.signal)
    if (agent.signal.aborted) return
    latencyMs = await sendHeartbeat(agent, latencyMs)
    waitMs = agent.heartbeatMs
  }
}

/**
 * Sends one heartbeat, retrying until it succeeds.
 *
 * @returns its latency, in milliseconds
 */
async function sendHeartbeat(agent: Agent, latencyMs: number | undefined): Promise<number | undefined> {
  return retryUntilResponse(agent.signal, async () => {
    const startedAt = performance.now()
    const latency = latencyMs === undefined ? undefined : `${(latencyMs / 1000).toFixed(3)}s`
    try {
      const input = { time: new Date().toISOString(), ...(latency && { latency }) }
      const response = await agent.client.call(heartbeatAgent, input, { signal: agent.signal })
      agent.hasInventory = response.inventory ?? false
      noticeUpdate(agent, response.latestVersion)
    } catch (error) {
      // The server has marked this agent as offline in the meantime.
      if (!(error instanceof RejectedError) || error.status !== 409) throw error
      await connect(agent)
      return undefined
    }
    return performance.now() - startedAt
  })
}

/** Reports the inventory of this machine while it is turned on, without delaying heartbeats. */
async function keepInventory(agent: Agent): Promise<void> {
  let reporter: ReturnType<typeof createInventoryReporter> | undefined
  while (!agent.signal.aborted) {
    if (!agent.hasInventory) reporter = undefined
    else {
      if (!reporter) print("Reporting this machine's packages, listening sockets, and containers.")
      reporter ??= createInventoryReporter(agent.client)
      try {
        await reporter.reportIfDue(agent.signal)
      } catch (error) {
        if (agent.signal.aborted) return
        // Turned off since the last heartbeat.
        if (error instanceof RejectedError && error.status === 409) agent.hasInventory = false
        else if (error instanceof RejectedError) print(`The server rejected the inventory: ${error.message}.`)
        else if (!(error instanceof UnreachableError))
          // Scans must not depend on it.
          print(
            `The inventory of this machine can't be read: ${error instanceof Error ? error.message : String(error)}.`,
          )
      }
    }
    await wait(agent.heartbeatMs, agent.signal)
  }
}

async function takeJobs(agent: Agent, packs: ReturnType<typeof createPackStore>): Promise<void> {
  const { client, options, signal } = agent
  while (!signal.aborted) {
    const response = await retryUntilResponse(
      signal,
      () => client.call(takeAgentJob, {}, { signal, withinMs: takeJobTimeoutMs }),
      false,
    )
    if (!response?.job || signal.aborted) continue
    const { id, hosts } = response.job
    print(`Job ${id}: ${hosts.length === 1 ? '1 address' : `${hosts.length} addresses`}.`)
    const outcome = await runJob(response.job, { client, packs, networks: options.networks, signal, log: print })
    print(`Job ${id}: ${outcome}.`)
  }
}

async function disconnect({ client, signal }: Agent): Promise<void> {
  // The rejected key may be the reason for shutting down.
  if (signal.reason instanceof CliError) return
  await client.call(disconnectAgent, {}, { signal: AbortSignal.timeout(3000) }).catch(() => undefined)
  print('Disconnected.')
}

/**
 * Retries with increasing backoff until the server responds. Returns undefined once the signal
 * aborts.
 *
 * @throws CliError when the server rejects the call
 */
async function retryUntilResponse<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
  isReported = true,
): Promise<T | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      const value = await work()
      if (attempt > 0 && isReported) print('The server is responding again.')
      return value
    } catch (error) {
      if (signal.aborted) return undefined
      if (error instanceof RejectedError) throw new CliError(describeRejection(error), { cause: error, exitCode: 78 })
      if (!(error instanceof UnreachableError)) throw error
      if (attempt === 0 && isReported) print(`${error.message} Trying again.`)
      const waitMs = Math.min(backoffMs.max, backoffMs.initial * 2 ** Math.min(attempt, 10))
      await wait(waitMs * (0.5 + Math.random() / 2), signal)
      if (signal.aborted) return undefined
    }
  }
}

function describeRejection({ status, message }: RejectedError): string {
  if (status !== 401) return `The server rejected this agent: ${message}.`
  return "The server does not recognize this token or key: it was already used, has expired, or was revoked. Create a new token on the agent's page and restart the agent with it."
}

async function wait(waitMs: number, signal: AbortSignal): Promise<void> {
  await pause(waitMs, undefined, { signal }).catch(() => undefined)
}

function localNetworks(): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return [...new Set(interfaces.flatMap((network) => (network.internal || !network.cidr ? [] : [network.cidr])))].slice(
    0,
    64,
  )
}

export function print(message: string): void {
  process.stdout.write(`${message}\n`)
}
