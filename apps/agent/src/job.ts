/**
 * Runs one job: scans in a worker thread, uploads results in parts, and renews the lease every
 * second.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { InputOf } from '@glacis/contract/endpoint'
import { Observation, progressAgentJob, reportAgentJob, type RunnerJob, runnerLimits } from '@glacis/contract/runner'
import { type Client, RejectedError, UnreachableError } from './client.ts'
import type { PackFolders, PackStore } from './packs.ts'

interface Tools {
  readonly client: Client
  readonly packs: PackStore
  readonly networks: readonly string[] | undefined
  readonly signal: AbortSignal
  /** Shows a message to the operator of this machine. */
  readonly log: (sentence: string) => void
}

/** The job was canceled or its lease was taken over. */
class JobCanceled extends Error {}

const renewMs = 1000
/** Size at which a part is sent. */
const partBytes = 256 * 1024
const partObservations = Math.min(300, runnerLimits.observationsMax)
const retryMs = 1000
const stumblesMax = 5

/** @returns the outcome for the log; throws only when the agent itself must stop */
export async function runJob(job: RunnerJob, tools: Tools): Promise<string> {
  const dropping = new AbortController()
  const signal = AbortSignal.any([tools.signal, dropping.signal])
  const delivery = createDelivery(job.id, tools.client, signal)
  const renewal = renew(job.id, tools.client, delivery, signal).catch((error: unknown) => dropping.abort(error))
  try {
    const folders = await tools.packs.folders(job.packs, signal)
    const take = (message: unknown) => {
      const reason = acceleratorProblem(message)
      if (reason === null) delivery.put(Observation.parse(message))
      else tools.log(`Job ${job.id}: scanning ports without the native accelerator: ${reason}.`)
    }
    await scanInThread({ job, folders, networks: tools.networks }, take, signal)
    await delivery.finish()
    return 'done'
  } catch (error) {
    if (tools.signal.aborted) return 'given back'
    if (signal.reason instanceof JobCanceled) return signal.reason.message
    if (error instanceof JobCanceled) return error.message
    const words = error instanceof Error ? error.message : String(error)
    await delivery.fail(words).catch(() => undefined)
    return `failed: ${words}`
  } finally {
    dropping.abort(new JobCanceled('over'))
    await renewal
  }
}

interface JobInput {
  readonly job: RunnerJob
  readonly folders: PackFolders
  readonly networks: readonly string[] | undefined
}

/**
 * The thread posts observations and, at most once, the reason why the accelerator is unavailable.
 */
function acceleratorProblem(message: unknown): string | null {
  const isReason = typeof message === 'object' && message !== null && 'withoutAccelerator' in message
  return isReason ? String(message.withoutAccelerator) : null
}

/** Parses hostile data in a thread with bounded memory, isolated from the agent's key. */
async function scanInThread(orders: JobInput, take: (message: unknown) => void, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const thread = new Worker(new URL('./scan-thread.ts', import.meta.url), {
    workerData: orders,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = () => {
    thread.postMessage('stop')
    reject(signal.reason)
  }
  signal.addEventListener('abort', stop, { once: true })
  thread.on('message', take)
  thread.once('error', reject)
  thread.once('exit', (code) =>
    code === 0 ? resolve() : reject(new Error(`the scanner thread exited with code ${code}`)),
  )
  try {
    await promise
  } finally {
    signal.removeEventListener('abort', stop)
    await Promise.race([thread.terminate(), pause(renewMs, undefined, { ref: false })])
  }
}

async function renew(id: string, client: Client, delivery: Delivery, signal: AbortSignal): Promise<void> {
  for (;;) {
    await pause(renewMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    try {
      const { isCancelled } = await client.call(progressAgentJob, { id, ...delivery.progress }, { signal })
      if (isCancelled) throw new JobCanceled('cancelled')
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof RejectedError) throw new JobCanceled('taken away')
      if (!(error instanceof UnreachableError)) throw error
    }
  }
}

interface Delivery {
  readonly progress: Partial<Pick<Extract<Observation, { kind: 'progress' }>, 'phase' | 'hostsDone'>>
  put(observation: Observation): void
  /** Resolves when all parts have been delivered. */
  finish(): Promise<void>
  fail(words: string): Promise<void>
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
    put(observation) {
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
    async fail(words) {
      await send(client, { id, part: 0, isLast: true, observations: [], error: words.slice(0, 1000) }, signal)
    },
  }
}

type Part = InputOf<typeof reportAgentJob>

/**
 * Retries one part until it is accepted. Gives up on a part that the server fails on repeatedly.
 */
async function send(client: Client, input: Part, signal: AbortSignal): Promise<void> {
  for (let stumbles = 0; ;) {
    try {
      return void (await client.call(reportAgentJob, input, { signal, withinMs: 60_000 }))
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof RejectedError && (error.status === 404 || error.status === 409))
        throw new JobCanceled('taken away')
      if (!(error instanceof UnreachableError)) throw error
      if (error.isBroken && ++stumbles >= stumblesMax) throw error
      await pause(retryMs, undefined, { signal })
    }
  }
}
