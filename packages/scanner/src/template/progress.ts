/** How far each check of a service has come while the answers to its requests come back. */
import type { ServiceEvent } from '#template/run.ts'
import type { Template } from '#template/template.ts'

/** What is known of a template on this service while its requests come back. */
export interface Progress {
  /** Requests that were not answered in full yet. */
  left: number
  isBroken: boolean
  /** Stopped on purpose at its first match. */
  isDone: boolean
}

/** Counts one more request whose answer a template waits for. */
export function expect(progress: Map<Template, Progress>, template: Template): void {
  const known = progress.get(template)
  if (known) known.left += 1
  else progress.set(template, { left: 1, isBroken: false, isDone: false })
}

/** How the checks ended, told of each one: finished where every request was answered in full. */
export function* endings(progress: ReadonlyMap<Template, Progress>): Iterable<ServiceEvent> {
  for (const [{ id }, { left, isBroken }] of progress)
    yield { kind: 'ended', isFinished: left === 0 && !isBroken, check: id }
}
