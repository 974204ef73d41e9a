/** Scans a batch in a process of its own. */
import { fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { ScanJob } from '@glacis/contract/runner'
import {
  type CallbackServer,
  type InteractionMessage,
  lendCallbacks,
  type Lending,
  type RelayRequest,
} from '@glacis/scanner'
import type { PackFolders } from '#packs/index.ts'

export interface ScanRequest {
  readonly job: ScanJob
  readonly knownOpen: Readonly<Record<string, number[]>>
  readonly packs: PackFolders
  readonly callbacks: Lending['endpoint'] | undefined
}

/** Messages to the process after its request. */
export type ParentMessage = 'stop' | { readonly callback: InteractionMessage }

export type ChildMessage =
  | { readonly observation: unknown }
  | { readonly withoutAccelerator: string }
  | { readonly callback: RelayRequest }
  | { readonly done: true }
  | { readonly failed: string }

export interface ProcessOptions {
  readonly signal: AbortSignal
  readonly callbacks?: CallbackServer | null | undefined
  observed(observation: unknown): void
  withoutAccelerator(reason: string): void
  readonly module?: URL
}

const heapMb = 512
/** With the monitor's interval of one second, a cancelled scan stops within two. */
const graceMs = 500

/**
 * Returns once the process has exited. In a worker thread, exceeding the heap limit can end the
 * whole server, and a stalled thread doesn't receive the request to stop.
 *
 * @throws the signal's reason if it aborts; an error if the process fails or exits early
 */
export async function scanInProcess(request: Omit<ScanRequest, 'callbacks'>, options: ProcessOptions): Promise<void> {
  const { signal, callbacks, module = new URL('scan-child.ts', import.meta.url) } = options
  signal.throwIfAborted()
  const child = fork(module, {
    execArgv: [`--max-old-space-size=${heapMb}`],
    // The process needs no environment variables, and must not inherit secrets.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  const result = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  // A process that has exited reports it with `exit`, so a message that can't be sent is ignored.
  const send = (message: ScanRequest | ParentMessage) => void child.send(message, () => undefined)
  using lending = callbacks ? lendCallbacks(callbacks, (callback) => send({ callback })) : null
  child.on('error', (error) => {
    result.reject(error)
    if (child.pid === undefined) ended.resolve()
  })
  child.on('exit', (code, name) => {
    result.reject(new Error(`the scanner process exited with ${name ?? `code ${code}`}`))
    ended.resolve()
  })
  child.on('message', (message: ChildMessage) => {
    try {
      if ('done' in message) result.resolve()
      else if ('failed' in message) result.reject(new Error(message.failed))
      else if ('callback' in message) lending?.receive(message.callback)
      else if ('withoutAccelerator' in message) options.withoutAccelerator(message.withoutAccelerator)
      else options.observed(message.observation)
    } catch (error) {
      result.reject(error)
    }
  })
  let killing: NodeJS.Timeout | undefined
  const stop = () => {
    send('stop')
    killing = setTimeout(() => child.kill('SIGKILL'), graceMs)
    result.reject(signal.reason)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    lowerPriority(child.pid)
    send({ ...request, callbacks: lending?.endpoint })
    await result.promise
  } finally {
    signal.removeEventListener('abort', stop)
    if (!signal.aborted) child.kill('SIGKILL')
    await ended.promise
    clearTimeout(killing)
  }
}

/** Requests of users come before scans. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has exited already, or the system doesn't permit it; the scan works without.
  }
}
