/** The process's side of the pool: runs one task at a time and exits with its parent. */
import { startBeats } from '#process/beats.ts'

export type ParentMessage =
  | { readonly kind: 'task'; readonly request: unknown }
  | { readonly kind: 'message'; readonly message: unknown }
  | { readonly kind: 'stop' }

export type ChildMessage =
  | { readonly kind: 'message'; readonly message: unknown }
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly text: string; readonly stack: string }

/** The parent's side of a running task. */
export interface Task {
  readonly signal: AbortSignal
  /** Resolves once the message has been written, so that a slow parent slows the task. */
  send(message: unknown): Promise<void>
  onMessage(receive: (message: unknown) => void): void
  /** Imports modules of ours, which blocks the process for seconds on a slow machine, without the watchdog. */
  load<T>(importing: () => Promise<T>): Promise<T>
}

/** Serves tasks until the parent exits. The request has the type that the parent's module passes. */
export function serveTasks(run: (request: unknown, task: Task) => Promise<unknown>): void {
  const beats = startBeats()
  let stopping = new AbortController()
  let receive: (message: unknown) => void = () => undefined
  process.on('disconnect', () => process.exit())
  process.on('message', (message: ParentMessage) => {
    if (message.kind === 'stop') stopping.abort(new Error('stopped'))
    else if (message.kind === 'message') receive(message.message)
    else void start(message.request)
  })
  async function start(request: unknown): Promise<void> {
    stopping = new AbortController()
    receive = () => undefined
    const task: Task = {
      signal: stopping.signal,
      send: (message) => send({ kind: 'message', message }),
      onMessage: (listener) => void (receive = listener),
      load: beats.suspendedDuring,
    }
    try {
      const result = await beats.during(() => run(request, task))
      await send({ kind: 'done', result })
    } catch (error) {
      const isError = error instanceof Error
      await send({
        kind: 'failed',
        text: isError ? error.message : String(error),
        stack: isError ? (error.stack ?? '') : '',
      })
    }
  }
}

function send(message: ChildMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  process.send?.(message, undefined, undefined, () => resolve())
  return promise
}
