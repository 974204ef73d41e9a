/** Writes the threats delivered by packs. */
import type { Tables } from '#database/tables.ts'
import { storable } from '#database/text.ts'
import { type Kysely, sql, type Transaction } from 'kysely'
import { criteriaRank, type ThreatDraft, toRow } from '#threats/draft.ts'

/** Drafts per statement: few enough for memory, many enough for speed. */
const chunkSize = 500

/** Upserts threats and returns the IDs of new and changed ones. Each chunk is a transaction. */
export async function upsertThreats(
  owner: Kysely<Tables>,
  drafts: readonly ThreatDraft[],
): Promise<{ changed: string[] }> {
  const changed: string[] = []
  for (let from = 0; from < drafts.length; from += chunkSize) {
    const part = drafts.slice(from, from + chunkSize)
    changed.push(...(await withWriteLock(owner, (tx) => writeThreats(tx, part))))
  }
  return { changed }
}

/**
 * Runs a transaction under a database-wide lock. Concurrent writers of the same threats in
 * different order, such as the CLI and the server, would otherwise deadlock.
 */
export function withWriteLock<T>(owner: Kysely<Tables>, work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
  return owner.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('knowledge', 0))`.execute(tx)
    return work(tx)
  })
}

/**
 * As `upsertThreats`, for at most a few hundred drafts with distinct keys, in the caller's transaction. The result
 * doesn't depend on the order of sources: the descriptions, criteria, and rating of a threat come from the source with
 * the highest rank. A record older than the stored one of the same source is ignored. Changed threats are queued in
 * `threat_change` for the matcher.
 */
export async function writeThreats(tx: Transaction<Tables>, drafts: readonly ThreatDraft[]): Promise<string[]> {
  if (drafts.length === 0) return []
  const rows = drafts.map(toRow)
  const { rows: written } = await sql<Written>`
    insert into threat as known (${sql.join(columns.map((name) => sql.ref(name)))})
    select ${sql.join(columns.map((name) => sources[name] ?? sql.ref(`fresh.${name}`)))}
    from jsonb_to_recordset(${`[${rows.join(',')}]`}::jsonb) as fresh (
      id uuid, key text, kind text, name text, summary text, impact text, affected text, insight text,
      cvss text, score numeric, category text, solution_kind text, solution text, refs jsonb,
      epss_score real, epss_percentile real, known_exploited_at timestamptz, record jsonb, digests jsonb,
      words_rank smallint, criteria_rank smallint, severity_rank smallint,
      modified_at timestamptz, published_at timestamptz, effective_at timestamptz)
    left join exploitation using (key)
    on conflict (key) do update set ${sql.join(updates)}, updated_at = now()
    where not known.digests @> excluded.digests
      and (excluded.criteria_rank < known.criteria_rank or known.modified_at is null or excluded.modified_at is null
           or excluded.modified_at >= known.modified_at or excluded.criteria_rank > known.criteria_rank)
    returning id, key, criteria_rank, modified_at, xmax = 0 as is_new`.execute(tx)
  await replaceProducts(tx, drafts, written)
  const ids = written.map((row) => row.id)
  await queueChangedThreats(tx, ids)
  return ids
}

interface Written {
  readonly id: string
  readonly key: string
  readonly criteria_rank: number
  readonly modified_at: Date | null
  readonly is_new: boolean
}

const textColumns = ['name', 'summary', 'impact', 'insight', 'solution_kind', 'solution', 'refs', 'words_rank'] as const
const byCriteria = ['affected', 'record', 'modified_at', 'criteria_rank'] as const
const bySeverity = ['cvss', 'score', 'category', 'severity_rank'] as const
const columns = [
  'id',
  'key',
  'kind',
  ...textColumns,
  ...byCriteria,
  ...bySeverity,
  'epss_score',
  'epss_percentile',
  'known_exploited_at',
  'published_at',
  'effective_at',
  'digests',
]

/** KEV and EPSS take precedence over copies of their data in records. */
const sources: Readonly<Record<string, ReturnType<typeof sql>>> = {
  epss_score: sql`coalesce(exploitation.epss_score, fresh.epss_score)`,
  epss_percentile: sql`coalesce(exploitation.epss_percentile, fresh.epss_percentile)`,
  known_exploited_at: sql`coalesce(exploitation.known_exploited_at, fresh.known_exploited_at)`,
}

const ranked = (names: readonly string[], rank: string) =>
  names.map(
    (name) =>
      sql`${sql.ref(name)} = case when ${sql.ref(`excluded.${rank}`)} >= ${sql.ref(`known.${rank}`)} then ${sql.ref(`excluded.${name}`)} else ${sql.ref(`known.${name}`)} end`,
  )
const given = (name: string) =>
  sql`${sql.ref(name)} = coalesce(${sql.ref(`excluded.${name}`)}, ${sql.ref(`known.${name}`)})`
const updates = [
  // A CVE that a check also detects stays a CVE.
  sql`kind = case when excluded.kind = 'check' then known.kind else excluded.kind end`,
  ...ranked(textColumns, 'words_rank'),
  ...ranked(byCriteria, 'criteria_rank'),
  ...ranked(bySeverity, 'severity_rank'),
  ...['epss_score', 'epss_percentile', 'known_exploited_at', 'published_at', 'effective_at'].map(given),
  sql`digests = known.digests || excluded.digests`,
]

/** Updates the product index where the criteria of this draft took effect. */
async function replaceProducts(
  tx: Transaction<Tables>,
  drafts: readonly ThreatDraft[],
  written: readonly Written[],
): Promise<void> {
  const byKey = new Map(drafts.map((draft) => [draft.key, draft]))
  const appliedRows = written.flatMap((row) => {
    const draft = byKey.get(row.key)
    return draft && isEffective(draft, row) ? { id: row.id, isNew: row.is_new, draft } : []
  })
  if (appliedRows.length === 0) return
  const old = appliedRows.filter(({ isNew }) => !isNew).map(({ id }) => id)
  if (old.length > 0) await sql`delete from threat_product where threat_id = any(${old}::uuid[])`.execute(tx)
  const pairs = appliedRows.flatMap(({ id, draft }) => draft.products.map((product) => ({ id, ...product })))
  if (pairs.length === 0) return
  await sql`
    insert into threat_product (vendor, product, threat_id, criteria)
    select * from unnest(
      ${pairs.map((pair) => pair.vendor)}::text[], ${pairs.map((pair) => pair.product)}::text[],
      ${pairs.map((pair) => pair.id)}::uuid[], ${pairs.map(({ criteria }) => (criteria === undefined ? null : storable(criteria)))}::text[])
    on conflict do nothing`.execute(tx)
}

function isEffective(draft: ThreatDraft, row: Written): boolean {
  return row.criteria_rank === criteriaRank(draft) && row.modified_at?.getTime() === draft.modifiedAt?.getTime()
}

/** Queues threats for matching against the inventories. */
export async function queueChangedThreats(tx: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into threat_change (threat_id)
    select unnest(${ids}::uuid[])
    on conflict (threat_id) do update set turn = excluded.turn`.execute(tx)
}
