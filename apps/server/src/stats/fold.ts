import { emptyDay } from '#stats/slots.ts'
import type { Step } from '#stats/steps.ts'

export interface ClosedDay {
  readonly scope: string
  readonly day: string
  readonly counts: number[]
}

/**
 * Adds up what changed, day by day and scope by scope, from where each scope stood before. A scope
 * gets a row for each day that changed it; a dense one gets a row for every day.
 */
export function foldDays(
  days: readonly string[],
  steps: readonly Step[],
  before: ReadonlyMap<string, readonly number[]>,
  { isDense, scope }: { readonly isDense: boolean; readonly scope: string },
): ClosedDay[] {
  const byScope = Map.groupBy(steps, (step) => step.scope)
  if (isDense && !byScope.has(scope)) byScope.set(scope, [])
  return [...byScope].flatMap(([each, own]) => {
    const byDay = Map.groupBy(own, (step) => step.day)
    const counts = [...(before.get(each) ?? emptyDay())]
    return days.flatMap((day) => {
      const changes = byDay.get(day) ?? []
      for (const { slot, step } of changes) counts[slot] = (counts[slot] ?? 0) + step
      return isDense || changes.length > 0 ? [{ scope: each, day, counts: [...counts] }] : []
    })
  })
}
