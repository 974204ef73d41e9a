/** Threats as they are looked at. */
import type { Threat } from '@glacis/contract/threat'
import type { Ctx } from '#ctx.ts'
import { anyOf } from '#database/any.ts'
import type { ThreatTable } from '#database/tables.ts'
import { type Selectable, sql } from 'kysely'

export type ThreatRow = Selectable<ThreatTable>
/** As much of a threat as is shown. What the matcher reads of it may be a hundred times as long. */
const shown = [
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
type ShownThreat = Pick<ThreatRow, (typeof shown)[number]>
/** As much of a threat as an issue is made of. */
export type ThreatKey = Pick<ThreatRow, 'id' | 'key' | 'score' | 'category'>

/** The threats of these keys. Keys that nothing knows are left out. */
export async function threatsByKey(ctx: Ctx, keys: readonly string[]): Promise<ReadonlyMap<string, ThreatRow>> {
  if (keys.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('threat')
    .selectAll()
    .where('key', 'in', [...new Set(keys)])
    .execute()
  return new Map(rows.map((row) => [row.key, row]))
}

/** A threat with what decides whether it applies. */
export interface Candidate extends ThreatKey {
  readonly record: unknown
  readonly kind: ThreatRow['kind']
  /** Those of the wanted products that it names, as canonical `vendor:product` keys. */
  readonly product_keys: readonly string[]
}

/**
 * The threats that name one of these products, as candidates for the matcher. What does not hold yet
 * is left out.
 *
 * @param only restricts them to these ids
 */
export async function threatsOfProducts(
  ctx: Ctx,
  products: readonly { readonly vendor: string; readonly product: string }[],
  only?: readonly string[],
): Promise<Candidate[]> {
  if (products.length === 0 || only?.length === 0) return []
  const { rows } = await sql<Candidate>`
    select threat.id, threat.key, threat.kind, threat.score, threat.category, threat.record, named.product_keys
    from (
      select threat_id, array_agg(vendor || ':' || product) as product_keys
      from unnest(${products.map((p) => p.vendor)}::text[], ${products.map((p) => p.product)}::text[]) as wanted (vendor, product)
      join threat_product using (vendor, product)
      ${only ? sql`where threat_id = any(${only}::uuid[])` : sql``}
      group by threat_id
    ) as named
    join threat on threat.id = named.threat_id
    where threat.record is not null and (threat.effective_at is null or threat.effective_at <= ${ctx.now})`.execute(
    ctx.tx,
  )
  return rows
}

/** A threat as the contract shows it. */
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

/** The threats of these ids, as much as is shown of them. */
export async function threatsById(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, ShownThreat>> {
  if (ids.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('threat')
    .select(shown)
    .where('id', '=', anyOf([...new Set(ids)]))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The threats of these ids as the contract shows them, with their keys. */
export async function shownThreats(
  ctx: Ctx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { threat: Threat; key: string }>> {
  const rows = await threatsById(ctx, ids)
  return new Map([...rows.values()].map((row) => [row.id, { threat: toThreat(row), key: row.key }]))
}

/** The vendor and product of a canonical key; a key's colon is the first one that is not quoted. */
export function splitKey(key: string): { vendor: string; product: string } {
  const at = /(?<!\\):/.exec(key)?.index ?? key.length
  return { vendor: key.slice(0, at), product: key.slice(at + 1) }
}
