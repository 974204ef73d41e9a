/** Runs tasks in child processes: started on demand, reused, and ended when idle. */
import type { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import { beatFd, type Program, startProgram } from '#process/program.ts'
import type { ChildMessage, ParentMessage } from '#process/serve-tasks.ts'
import { type RunningUnit, watch } from '#process/watchdog.ts'

export interface TaskOptions {
  readonly signal: AbortSignal
  /** Called with the way to send messages to the task; returns the receiver of the task's messages. */
  readonly connect?: (send: (message: unknown) => void) => (message: unknown) => void
}

/** A task that ended without a result. */
export class TaskFailure extends Error {
  /** `failed`: it threw; `exited`: its process died; `stuck`: the watchdog ended its process. */
  readonly kind: 'failed' | 'exited' | 'stuck'
  /** The unit that was running when its process ended. */
  readonly unit: RunningUnit | null
  constructor(kind: TaskFailure['kind'], message: string, unit: RunningUnit | null = null, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TaskFailure'
    this.kind = kind
    this.unit = unit
  }
}

/** Time that a task has to end by itself after it was aborted. Scans stop within two seconds in total. */
const graceMs = 500
const idleMs = 30_000
const idleMax = 2

interface IdleChild {
  readonly key: string
  readonly child: ChildProcess
  readonly timer: NodeJS.Timeout
}
let idle: IdleChild[] = []

/**
 * Runs one task in a process that does nothing else at the time.
 *
 * @returns the task's result
 * @throws the signal's reason if it aborts; TaskFailure; errors of the receiver
 */
export async function runTask(program: Program, request: unknown, options: TaskOptions): Promise<unknown> {
  options.signal.throwIfAborted()
  const key = JSON.stringify(program)
  const child = takeIdle(key) ?? start(program)
  try {
    const result = await converse(child, request, options)
    keepIdle(key, child)
    return result
  } catch (error) {
    if (options.signal.aborted) await Promise.race([exits.get(child), delay(graceMs)])
    child.kill('SIGKILL')
    await exits.get(child)
    throw error
  }
}

const exits = new WeakMap<ChildProcess, Promise<void>>()

function start(program: Program): ChildProcess {
  const child = startProgram(program)
  const { promise, resolve } = Promise.withResolvers<void>()
  child.once('exit', () => resolve())
  // A process that failed to start emits no `exit`.
  child.on('error', () => child.pid === undefined && resolve())
  exits.set(child, promise)
  return child
}

async function converse(child: ChildProcess, request: unknown, { signal, connect }: TaskOptions): Promise<unknown> {
  const result = Promise.withResolvers<unknown>()
  // A process that has exited reports it with `exit`, so a message that can't be sent is ignored.
  const send = (message: ParentMessage) => void child.send(message, () => undefined)
  const receive = connect?.((message) => send({ kind: 'message', message }))
  const fail = (kind: TaskFailure['kind'], text: string, stack?: string) =>
    result.reject(new TaskFailure(kind, text, watchdog.unit(), { cause: stack }))
  using watchdog = watch(beatsOf(child), () => {
    fail('stuck', 'took too long')
    child.kill('SIGKILL')
  })
  const listeners = {
    error: (error: Error) => fail('exited', error.message),
    exit: (code: number | null, name: string | null) =>
      fail('exited', `the process exited with ${name ?? `code ${code}`}`),
    message(message: ChildMessage) {
      try {
        if (message.kind === 'done') result.resolve(message.result)
        else if (message.kind === 'failed') fail('failed', message.text, message.stack)
        else receive?.(message.message)
      } catch (error) {
        result.reject(error)
      }
    },
  }
  const stop = () => {
    send({ kind: 'stop' })
    result.reject(signal.reason)
  }
  for (const [name, listener] of Object.entries(listeners)) child.on(name, listener)
  signal.addEventListener('abort', stop, { once: true })
  try {
    send({ kind: 'task', request })
    return await result.promise
  } finally {
    signal.removeEventListener('abort', stop)
    for (const [name, listener] of Object.entries(listeners)) child.off(name, listener)
  }
}

function beatsOf(child: ChildProcess): Socket {
  const pipe = child.stdio[beatFd]
  if (!(pipe instanceof Socket)) throw new Error('the process was started without a pipe for its heartbeats')
  return pipe
}

function takeIdle(key: string): ChildProcess | undefined {
  const found = idle.findLast((one) => one.key === key && one.child.connected)
  if (!found) return undefined
  clearTimeout(found.timer)
  idle = idle.filter((one) => one !== found)
  setReferenced(found.child, true)
  return found.child
}

/** An idle process doesn't keep this one alive, and ends with it. */
function keepIdle(key: string, child: ChildProcess): void {
  if (!child.connected) return void child.kill('SIGKILL')
  const timer = setTimeout(() => {
    idle = idle.filter((one) => one.child !== child)
    child.kill('SIGKILL')
  }, idleMs)
  timer.unref()
  setReferenced(child, false)
  idle.push({ key, child, timer })
  if (idle.length > idleMax) endIdle(idle.slice(0, -idleMax))
}

function endIdle(surplus: readonly IdleChild[]): void {
  idle = idle.filter((one) => !surplus.includes(one))
  for (const { child, timer } of surplus) {
    clearTimeout(timer)
    child.kill('SIGKILL')
  }
}

function setReferenced(child: ChildProcess, isReferenced: boolean): void {
  const action = isReferenced ? 'ref' : 'unref'
  child[action]()
  child.channel?.[action]()
  beatsOf(child)[action]()
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
