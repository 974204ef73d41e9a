import type { Target } from '@glacis/contract/target'
import type { Ctx } from '#ctx.ts'
import { type Counts, countTargets, describeTargets } from '#targets/describe.ts'

/** How old the counts of a target may be where it stands inside something else, in milliseconds. */
const recentMs = 30_000
const rememberedMax = 20_000

/**
 * Describes targets for what they stand inside of, such as issues: names, tags and schedules as they
 * are, counts up to half a minute old. To count all of a big target takes longer than to read a
 * page of issues on it.
 */
export function targetsInside(): (ctx: Ctx, ids: readonly string[]) => Promise<ReadonlyMap<string, Target>> {
  const remembered = new Map<string, { readonly counts: Counts; readonly at: number }>()
  async function recent(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Counts>> {
    const now = performance.now()
    const keyOf = (id: string) => `${ctx.account} ${id}`
    const isOld = (id: string) => now - (remembered.get(keyOf(id))?.at ?? -recentMs) >= recentMs
    const fresh = await countTargets(ctx, ids.filter(isOld))
    if (remembered.size + fresh.size > rememberedMax) remembered.clear()
    for (const [id, counts] of fresh) remembered.set(keyOf(id), { counts, at: now })
    return new Map(
      ids.flatMap((id) => {
        const counts = fresh.get(id) ?? remembered.get(keyOf(id))?.counts
        return counts ? [[id, counts] as const] : []
      }),
    )
  }
  return (ctx, ids) => describeTargets(ctx, ids, recent)
}
