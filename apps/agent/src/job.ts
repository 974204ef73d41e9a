/**
 * Runs one job: scans in a child process, uploads results in parts, and renews the lease every
 * second.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { isIP } from 'node:net'
import type { InputOf } from '@glacis/contract/endpoint'
import {
  type Observation,
  progressAgentJob,
  reportAgentJob,
  type RunnerJob,
  runnerLimits,
  type ScanHost,
} from '@glacis/contract/runner'
import { createGuard, resolveName, scanInProcess } from '@glacis/scanner'
import { type Client, RejectedError, UnreachableError } from './client.ts'
import type { PackStore } from './packs.ts'

interface JobContext {
  readonly client: Client
  readonly packs: PackStore
  readonly networks: readonly string[] | undefined
  readonly signal: AbortSignal
  /** Shows a message to the operator of this machine. */
  readonly log: (message: string) => void
}

/** The job was canceled or its lease was taken over. */
class JobCanceled extends Error {}

const renewMs = 1000
/** Size at which a part is sent. */
const partBytes = 256 * 1024
const partObservations = Math.min(300, runnerLimits.observationsMax)
const retryMs = 1000
const serverErrorsMax = 5

/** @returns the outcome for the log; throws only when the agent itself must stop */
export async function runJob(job: RunnerJob, context: JobContext): Promise<string> {
  const canceling = new AbortController()
  const signal = AbortSignal.any([context.signal, canceling.signal])
  const delivery = createDelivery(job.id, context.client, signal)
  const renewal = renew(job.id, context.client, delivery, signal).catch((error: unknown) => canceling.abort(error))
  try {
    const packs = await context.packs.folders(job.packs, signal)
    const hosts = (await Promise.all(job.hosts.map((host) => resolveHost(host, delivery)))).flat()
    const allow = hosts.map((host) => host.address).filter((address) => isAllowed(address, job, context))
    const batch = { job: { ...job.settings, hosts, allow }, knownOpen: job.knownOpen, packs }
    await scanInProcess(batch, {
      signal,
      isBackground: true,
      observed: delivery.add,
      restarted: (reason) => context.log(`Job ${job.id}: replaced the scanner process: ${reason}.`),
      withoutAccelerator: (reason) =>
        context.log(`Job ${job.id}: scanning ports without the native accelerator: ${reason}.`),
    })
    await delivery.finish()
    return 'done'
  } catch (error) {
    if (context.signal.aborted) return 'returned to the server'
    if (signal.reason instanceof JobCanceled) return signal.reason.message
    if (error instanceof JobCanceled) return error.message
    const reason = error instanceof Error ? error.message : String(error)
    await delivery.fail(reason).catch(() => undefined)
    return `failed: ${reason}`
  } finally {
    canceling.abort(new JobCanceled('finished'))
    await renewal
  }
}

const resolveMs = 10_000

/** Resolves hostnames on this network. Names that can't be resolved are reported. */
async function resolveHost(host: ScanHost, delivery: Delivery): Promise<ScanHost[]> {
  if (isIP(host.address)) return [host]
  const outcome = await resolveName(host.address, { signal: AbortSignal.timeout(resolveMs) })
  if (outcome.kind !== 'failure') {
    return outcome.addresses.slice(0, 8).map((address) => ({ address, names: [host.address] }))
  }
  const { address, names } = host
  delivery.add({ kind: 'host', address, names, reached: false, reason: outcome.reason, answersEverything: false })
  return []
}

/**
 * The server operator limits what is scanned at all; the owner of this machine limits what is
 * scanned from it.
 */
function isAllowed(address: string, job: RunnerJob, { networks }: JobContext): boolean {
  return [job.networks, networks].every(
    (allow) => allow === undefined || createGuard({ allow: [...allow], deny: [] }).denialReason(address, 443) === null,
  )
}

async function renew(id: string, client: Client, delivery: Delivery, signal: AbortSignal): Promise<void> {
  for (;;) {
    await pause(renewMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    try {
      const { isCancelled } = await client.call(progressAgentJob, { id, ...delivery.progress }, { signal })
      if (isCancelled) throw new JobCanceled('canceled')
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof RejectedError) throw new JobCanceled('no longer assigned to this agent')
      if (!(error instanceof UnreachableError)) throw error
    }
  }
}

interface Delivery {
  readonly progress: Partial<Pick<Extract<Observation, { kind: 'progress' }>, 'phase' | 'hostsDone'>>
  add(observation: Observation): void
  /** Resolves when all parts have been delivered. */
  finish(): Promise<void>
  fail(reason: string): Promise<void>
}

/** Sends parts in order, retrying each until it is accepted. */
function createDelivery(id: string, client: Client, signal: AbortSignal): Delivery {
  let pending: Observation[] = []
  let bytes = 0
  let part = 0
  let sending: Promise<void> = Promise.resolve()
  let progress: Delivery['progress'] = {}
  function flush(isLast: boolean): void {
    const input = { id, part: part++, isLast, observations: pending }
    ;[pending, bytes] = [[], 0]
    sending = sending.then(() => send(client, input, signal))
    // `finish()` rethrows the error; this prevents an unhandled rejection until then.
    sending.catch(() => undefined)
  }
  return {
    get progress() {
      return progress
    },
    add(observation) {
      if (observation.kind === 'progress') {
        progress = { phase: observation.phase, hostsDone: observation.hostsDone }
        return
      }
      pending.push(observation)
      bytes += JSON.stringify(observation).length
      if (bytes >= partBytes || pending.length >= partObservations) flush(false)
    },
    async finish() {
      flush(true)
      await sending
    },
    async fail(reason) {
      await send(client, { id, part: 0, isLast: true, observations: [], error: reason.slice(0, 1000) }, signal)
    },
  }
}

type Part = InputOf<typeof reportAgentJob>

/**
 * Retries one part until it is accepted. Gives up on a part that the server fails on repeatedly.
 */
async function send(client: Client, input: Part, signal: AbortSignal): Promise<void> {
  for (let serverErrors = 0; ;) {
    try {
      return void (await client.call(reportAgentJob, input, { signal, withinMs: 60_000 }))
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof RejectedError && (error.status === 404 || error.status === 409))
        throw new JobCanceled('no longer assigned to this agent')
      if (!(error instanceof UnreachableError)) throw error
      if (error.isBroken && ++serverErrors >= serverErrorsMax) throw error
      await pause(retryMs, undefined, { signal })
    }
  }
}
