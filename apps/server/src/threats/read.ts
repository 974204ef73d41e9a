/** Reads threats for display. */
import type { Threat } from '@glacis/contract/threat'
import type { Ctx } from '#ctx.ts'
import { anyOf } from '#database/any-of.ts'
import type { ThreatTable } from '#database/tables.ts'
import type { Selectable } from 'kysely'

export type ThreatRow = Selectable<ThreatTable>
/** The displayed columns. The matcher's record can be a hundred times larger. */
const shownColumns = [
  'id',
  'key',
  'name',
  'summary',
  'impact',
  'affected',
  'insight',
  'cvss',
  'score',
  'category',
  'solution_kind',
  'solution',
  'refs',
  'epss_score',
  'epss_percentile',
  'known_exploited_at',
] as const satisfies readonly (keyof ThreatRow)[]
type ShownThreat = Pick<ThreatRow, (typeof shownColumns)[number]>
/** The columns of a threat that an issue needs. */
export type ThreatKey = Pick<ThreatRow, 'id' | 'key' | 'score' | 'category'>

/** The threats with these keys. Unknown keys are not in the result. */
export async function threatsByKey(ctx: Ctx, keys: readonly string[]): Promise<ReadonlyMap<string, ThreatRow>> {
  if (keys.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('threat')
    .selectAll()
    .where('key', 'in', [...new Set(keys)])
    .execute()
  return new Map(rows.map((row) => [row.key, row]))
}

/** Maps a threat to its API representation. */
export function toThreat(row: ShownThreat): Threat {
  return {
    id: row.id,
    name: row.name,
    summary: row.summary,
    impact: row.impact,
    affected: row.affected,
    insight: row.insight,
    severity: { cvss: row.cvss, score: row.score, category: row.category },
    ...(row.solution_kind !== 'KIND_UNSPECIFIED' && {
      solution: { kind: row.solution_kind, description: row.solution },
    }),
    references: row.refs,
    ...(row.epss_score !== null &&
      row.epss_percentile !== null && { epss: { score: row.epss_score, percentile: row.epss_percentile } }),
    ...(row.known_exploited_at && { knownExploited: { addTime: row.known_exploited_at.toISOString() } }),
  }
}

/** The displayed columns of the threats with these IDs. */
export async function threatsById(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, ShownThreat>> {
  if (ids.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('threat')
    .select(shownColumns)
    .where('id', '=', anyOf([...new Set(ids)]))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The threats with these IDs in their API representation, with their keys. */
export async function describeThreats(
  ctx: Ctx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { threat: Threat; key: string }>> {
  const rows = await threatsById(ctx, ids)
  return new Map([...rows.values()].map((row) => [row.id, { threat: toThreat(row), key: row.key }]))
}
