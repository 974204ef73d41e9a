/** Threats: what can be wrong. They belong to no account; feeds and checks bring them. */
import { createHash } from 'node:crypto'
import type { Threat } from '@glacis/contract/threat'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import type { Tables, ThreatTable } from '#database/tables.ts'
import { type Kysely, type Selectable, sql } from 'kysely'

export type ThreatRow = Selectable<ThreatTable>

/** A threat as a pack brings it. */
export interface ThreatDraft {
  /** The CVE, else the id of the check. */
  readonly key: string
  readonly kind: 'check' | 'cve'
  readonly name: string
  readonly summary: string
  readonly impact: string
  readonly affected: string
  readonly insight: string
  readonly severity: Threat['severity']
  readonly solution: NonNullable<Threat['solution']>
  readonly references: Threat['references']
  readonly knownExploitedAt: Date | null
  readonly epss: Threat['epss'] | null
  /** What the matcher reads; null for what only a check can prove. */
  readonly record: object | null
  readonly products: readonly { readonly vendor: string; readonly product: string }[]
}

const chunk = 500

/**
 * Brings threats up to date and answers how many were new or changed. The record of a CVE outranks
 * the words of a check that proves the same CVE, whichever comes first.
 */
export async function upsertThreats(
  owner: Kysely<Tables>,
  drafts: readonly ThreatDraft[],
): Promise<{ changed: string[] }> {
  const changed: string[] = []
  for (let from = 0; from < drafts.length; from += chunk) {
    changed.push(...(await upsertChunk(owner, drafts.slice(from, from + chunk))))
  }
  return { changed }
}

async function upsertChunk(owner: Kysely<Tables>, drafts: readonly ThreatDraft[]): Promise<string[]> {
  return owner.transaction().execute(async (tx) => {
    const rows = await tx
      .insertInto('threat')
      .values(drafts.map(toRow))
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet((set) => ({
            ...Object.fromEntries(written.map((column) => [column, set.ref(`excluded.${column}`)])),
            updated_at: new Date(),
          }))
          .where((where) =>
            where.and([
              where('threat.digest', '!=', where.ref('excluded.digest')),
              where.or([where('excluded.kind', '=', 'cve'), where('threat.kind', '=', 'check')]),
            ]),
          ),
      )
      .returning(['id', 'key'])
      .execute()
    const ids = new Map(rows.map((row) => [row.key, row.id]))
    const products = drafts.flatMap((draft) => {
      const threat_id = ids.get(draft.key)
      return threat_id ? draft.products.map((product) => ({ ...product, threat_id })) : []
    })
    if (rows.length > 0)
      await tx
        .deleteFrom('threat_product')
        .where('threat_id', 'in', [...ids.values()])
        .execute()
    if (products.length > 0) {
      await tx
        .insertInto('threat_product')
        .values(products)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
    return [...ids.values()]
  })
}

const written = [
  'kind',
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
  'record',
  'digest',
] as const

function toRow(draft: ThreatDraft) {
  const { severity, solution, epss } = draft
  const row = {
    key: draft.key,
    kind: draft.kind,
    name: draft.name,
    summary: draft.summary,
    impact: draft.impact,
    affected: draft.affected,
    insight: draft.insight,
    cvss: severity.cvss,
    score: severity.score,
    category: severity.category,
    solution_kind: solution.kind,
    solution: solution.description,
    refs: JSON.stringify(draft.references),
    epss_score: epss?.score ?? null,
    epss_percentile: epss?.percentile ?? null,
    known_exploited_at: draft.knownExploitedAt,
    record: draft.record && JSON.stringify(draft.record),
  }
  const digest = createHash('sha256')
    .update(JSON.stringify([row, draft.products]))
    .digest('base64url')
  return { id: newId(), ...row, digest }
}

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

/** The threats that name one of these products, as candidates for the matcher, with those of the products that each names. */
export async function threatsOfProducts(
  ctx: Ctx,
  products: readonly { readonly vendor: string; readonly product: string }[],
): Promise<(ThreatRow & { readonly product_keys: readonly string[] })[]> {
  if (products.length === 0) return []
  const { rows } = await sql<ThreatRow & { product_keys: string[] }>`
    select threat.*, named.product_keys
    from (
      select threat_id, array_agg(vendor || ':' || product) as product_keys
      from unnest(${products.map((p) => p.vendor)}::text[], ${products.map((p) => p.product)}::text[]) as wanted (vendor, product)
      join threat_product using (vendor, product)
      group by threat_id
    ) as named
    join threat on threat.id = named.threat_id
    where threat.record is not null`.execute(ctx.tx)
  return rows
}

/** A threat as the contract shows it. */
export function toThreat(row: ThreatRow): Threat {
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

/** The threats of these ids. */
export async function threatsById(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, ThreatRow>> {
  if (ids.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('threat')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The vendor and product of a canonical key; a key's colon is the first one that is not quoted. */
export function splitKey(key: string): { vendor: string; product: string } {
  const at = /(?<!\\):/.exec(key)?.index ?? key.length
  return { vendor: key.slice(0, at), product: key.slice(at + 1) }
}
