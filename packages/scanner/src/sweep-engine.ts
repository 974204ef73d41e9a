import { fork } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import type { Limits } from '#budget.ts'
import type { ChildMessage } from '#ports-child.ts'
import type { SweepOrder, SweepReply } from '#sweep-host.ts'
import type { SweepSettings } from '#sweep-loop.ts'

/** A sweep backend outside of this thread. */
export interface Engine {
  send(order: SweepOrder): void
  close(): Promise<void>
}

export interface EngineEvents {
  /** Result of an order. */
  reply(reply: SweepReply): void
  /** The engine exited unexpectedly; its orders are lost. */
  failed(error: Error): void
}

/** Each sweep loop's share of the limits. */
function settingsOf(limits: Limits, loops: number, socketsMax: number): SweepSettings {
  return {
    inFlightMax: Math.max(1, Math.min(socketsMax, Math.floor(limits.sweepInFlight / loops))),
    perSecond: limits.sweepPerSecond / loops,
    perNetworkPerSecond: limits.sweepPerNetworkPerSecond / loops,
  }
}

/** Threads with `node:net` sockets, started on demand. */
export function startThreads(limits: Limits, { reply, failed }: EngineEvents): Engine {
  const workers: (Worker | undefined)[] = []
  function start(): Worker {
    const worker = new Worker(new URL('./ports-worker.ts', import.meta.url), {
      workerData: settingsOf(limits, limits.sweepWorkers, 1000),
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
    })
    worker.on('message', reply)
    worker.on('error', failed)
    return worker
  }
  return {
    send(order) {
      const worker = (workers[order.id % limits.sweepWorkers] ??= start())
      worker.postMessage(order)
    },
    async close() {
      await Promise.all(workers.splice(0).flatMap((worker) => worker?.terminate() ?? []))
    },
  }
}

/** The accelerator is unavailable; the message has the reason. */
export class NotAccelerated extends Error {}

/** For a few slow hosts, sockets cost less than starting a process. */
export function isWorthAccelerating(hosts: number, limits: Limits): boolean {
  return Math.min(limits.sweepPerSecond, hosts * limits.sweepPerHostPerSecond) >= acceleratedPerSecond
}

const acceleratedPerSecond = 2000
const flag = '--experimental-ffi'
const readyMs = 5000
/** Connection rate of one process on one core, with headroom. */
const perProcess = 50_000

/**
 * Processes that connect through libc, once their self-test has passed: as many as the rate
 * requires.
 *
 * @param signal aborts the start only
 * @throws NotAccelerated when the platform or Node.js version lacks the required calls, or the
 * self-test failed
 */
export async function startAccelerator(limits: Limits, events: EngineEvents, signal: AbortSignal): Promise<Engine> {
  const isLinux = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)
  if (!isLinux) throw new NotAccelerated(`not available for ${process.platform} on ${process.arch}`)
  if (!process.allowedNodeEnvironmentFlags.has(flag))
    throw new NotAccelerated(`Node.js ${process.version} does not support ${flag}`)
  const count = Math.min(limits.sweepWorkers, Math.ceil(limits.sweepPerSecond / perProcess))
  const settings = settingsOf(limits, count, limits.sweepInFlight)
  const ending = new AbortController()
  const failed = (error: Error) => {
    if (ending.signal.aborted) return
    ending.abort()
    events.failed(error)
  }
  const start = () => startProcess(settings, { reply: events.reply, failed }, AbortSignal.any([signal, ending.signal]))
  const started = await Promise.allSettled(Array.from({ length: count }, start))
  const engines = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const close = async () => {
    ending.abort()
    await Promise.all(engines.map((engine) => engine.close()))
  }
  const problem = started.find((result) => result.status === 'rejected')
  if (problem) {
    await close()
    throw problem.reason
  }
  return { send: (order) => engines[order.id % count]?.send(order), close }
}

async function startProcess(settings: SweepSettings, events: EngineEvents, signal: AbortSignal): Promise<Engine> {
  const child = fork(new URL('./ports-child.ts', import.meta.url), {
    execArgv: [flag, '--disable-warning=ExperimentalWarning', '--max-old-space-size=128'],
    // The process needs no environment variables, and must not inherit secrets.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  let state: 'starting' | 'ready' | 'over' = 'starting'
  const fail = (reason: string) => {
    const before = state
    state = 'over'
    child.kill('SIGKILL')
    if (before === 'starting') ready.reject(new NotAccelerated(reason))
    if (before === 'ready') events.failed(new NotAccelerated(reason))
  }
  child.on('error', (error) => {
    fail(error.message)
    if (child.pid === undefined) ended.resolve()
  })
  child.on('exit', (code, name) => {
    fail(`its process exited with ${code ?? name}`)
    ended.resolve()
  })
  child.on('message', (message: ChildMessage) => {
    if (!('ready' in message)) return events.reply(message)
    if (!message.ready) return fail(message.reason)
    if (state === 'starting') state = 'ready'
    ready.resolve()
  })
  const send = (message: SweepOrder | SweepSettings) =>
    void child.send(message, (error) => error && fail(error.message))
  send(settings)
  const timer = setTimeout(() => fail('it did not start in time'), readyMs)
  const stop = () => fail('sweep canceled')
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    await ready.promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
  return {
    send,
    async close() {
      state = 'over'
      child.kill('SIGKILL')
      await ended.promise
    },
  }
}
