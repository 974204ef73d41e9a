/** Tracks the progress of each check on a service as responses arrive. */
import type { ServiceEvent } from '#template/service-run.ts'
import type { Template } from '#template/template.ts'

/** Progress of one template on this service. */
export interface Progress {
  /** Requests without a complete response so far. */
  left: number
  isBroken: boolean
  /** Stopped intentionally at its first match. */
  isDone: boolean
  stopReason: string | null
}

/** Adds a pending request of a template. */
export function addPending(progress: Map<Template, Progress>, template: Template): void {
  const entry = progress.get(template)
  if (entry) entry.left += 1
  else progress.set(template, { left: 1, isBroken: false, isDone: false, stopReason: null })
}

/** Final outcome per check: completed if every request got a complete response. */
export function* completions(progress: ReadonlyMap<Template, Progress>): Iterable<ServiceEvent> {
  for (const [{ id }, { left, isBroken, stopReason }] of progress)
    yield { kind: 'ended', isFinished: left === 0 && !isBroken, check: id, stopReason }
}
