/** Threats: what can be wrong. They belong to no account; feeds and checks bring them. */
import { createHash } from 'node:crypto'
import type { Threat } from '@glacis/contract/threat'
import type { Ctx } from '#ctx.ts'
import { anyOf } from '#database/any.ts'
import { newId } from '#database/index.ts'
import { storable } from '#database/text.ts'
import type { Tables, ThreatTable } from '#database/tables.ts'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'

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

/** Who says it. Each is best at something, see `ranks`. */
export type Source = 'own' | 'nvd' | 'cve5' | 'override' | 'retire' | 'check' | 'lifecycle'

/** A threat as a pack brings it. */
export interface ThreatDraft {
  /** The CVE, else the id of the check, or of the release whose support ends. */
  readonly key: string
  readonly kind: 'check' | 'cve' | 'lifecycle'
  readonly source: Source
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
  /** The record says something: it names criteria, or that the threat was withdrawn. */
  readonly hasCriteria: boolean
  readonly products: readonly { readonly vendor: string; readonly product: string }[]
  readonly modifiedAt: Date | null
  readonly publishedAt: Date | null
  /** Not before then does it hold; null: always. */
  readonly effectiveAt: Date | null
}

/**
 * Whose word counts most. Our own packs say best what a threat is; the NVD's analysts know best what
 * is affected and how bad it is; the rest fills what they leave open.
 */
const ranks: Readonly<
  Record<Source, { readonly words: number; readonly criteria: number; readonly severity: number }>
> = {
  lifecycle: { words: 5, criteria: 6, severity: 5 },
  own: { words: 4, criteria: 4, severity: 3 },
  nvd: { words: 3, criteria: 5, severity: 4 },
  override: { words: 1, criteria: 3, severity: 1 },
  cve5: { words: 2, criteria: 2, severity: 2 },
  retire: { words: 1, criteria: 1, severity: 1 },
  check: { words: 1, criteria: 0, severity: 1 },
}

/** Drafts of one statement: enough to be quick, little enough for memory. */
const chunk = 500

/** Brings threats up to date and answers the ids of those that are new or changed. Each chunk is a transaction. */
export async function upsertThreats(
  owner: Kysely<Tables>,
  drafts: readonly ThreatDraft[],
): Promise<{ changed: string[] }> {
  const changed: string[] = []
  for (let from = 0; from < drafts.length; from += chunk) {
    const part = drafts.slice(from, from + chunk)
    changed.push(...(await asOnlyWriter(owner, (tx) => writeThreats(tx, part))))
  }
  return { changed }
}

/**
 * Runs a transaction that writes knowledge, one after the other in the whole database: two that write
 * the same threats in different orders, such as the command line beside the server, would otherwise
 * wait for each other until one of them is ended.
 */
export function asOnlyWriter<T>(owner: Kysely<Tables>, work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
  return owner.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('knowledge', 0))`.execute(tx)
    return work(tx)
  })
}

/**
 * As `upsertThreats`, for at most some hundreds of drafts with different keys, in the caller's
 * transaction. The order in which sources come does not matter: of each threat the words, the criteria
 * and the rating are those of the source that ranks highest. A record that is older than what the
 * same source said before changes nothing. What changed waits in `threat_change` for the matcher.
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
  await noteChanged(tx, ids)
  return ids
}

interface Written {
  readonly id: string
  readonly key: string
  readonly criteria_rank: number
  readonly modified_at: Date | null
  readonly is_new: boolean
}

const byWords = ['name', 'summary', 'impact', 'insight', 'solution_kind', 'solution', 'refs', 'words_rank'] as const
const byCriteria = ['affected', 'record', 'modified_at', 'criteria_rank'] as const
const bySeverity = ['cvss', 'score', 'category', 'severity_rank'] as const
const columns = [
  'id',
  'key',
  'kind',
  ...byWords,
  ...byCriteria,
  ...bySeverity,
  'epss_score',
  'epss_percentile',
  'known_exploited_at',
  'published_at',
  'effective_at',
  'digests',
]

/** What KEV and EPSS themselves say goes before what a record repeats of them. */
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
  // A check that proves a CVE does not make it less of one.
  sql`kind = case when excluded.kind = 'check' then known.kind else excluded.kind end`,
  ...ranked(byWords, 'words_rank'),
  ...ranked(byCriteria, 'criteria_rank'),
  ...ranked(bySeverity, 'severity_rank'),
  ...['epss_score', 'epss_percentile', 'known_exploited_at', 'published_at', 'effective_at'].map(given),
  sql`digests = known.digests || excluded.digests`,
]

/** The index of products follows the criteria: it is replaced where those of this draft now stand. */
async function replaceProducts(
  tx: Transaction<Tables>,
  drafts: readonly ThreatDraft[],
  written: readonly Written[],
): Promise<void> {
  const byKey = new Map(drafts.map((draft) => [draft.key, draft]))
  const taken = written.flatMap((row) => {
    const draft = byKey.get(row.key)
    return draft && stands(draft, row) ? { id: row.id, isNew: row.is_new, draft } : []
  })
  if (taken.length === 0) return
  const old = taken.filter(({ isNew }) => !isNew).map(({ id }) => id)
  if (old.length > 0) await sql`delete from threat_product where threat_id = any(${old}::uuid[])`.execute(tx)
  const pairs = taken.flatMap(({ id, draft }) => draft.products.map((product) => ({ id, ...product })))
  if (pairs.length === 0) return
  await sql`
    insert into threat_product (vendor, product, threat_id)
    select * from unnest(${pairs.map((pair) => pair.vendor)}::text[], ${pairs.map((pair) => pair.product)}::text[], ${pairs.map((pair) => pair.id)}::uuid[])
    on conflict do nothing`.execute(tx)
}

function stands(draft: ThreatDraft, row: Written): boolean {
  return row.criteria_rank === criteriaRank(draft) && row.modified_at?.getTime() === draft.modifiedAt?.getTime()
}

function criteriaRank(draft: ThreatDraft): number {
  return draft.hasCriteria ? ranks[draft.source].criteria : 0
}

/** Puts threats where the matcher looks for what it has not yet held against the inventories. */
export async function noteChanged(tx: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into threat_change (threat_id)
    select unnest(${ids}::uuid[])
    on conflict (threat_id) do update set turn = excluded.turn`.execute(tx)
}

/** A draft as the JSON that `writeThreats` reads. */
function toRow(draft: ThreatDraft): string {
  const { severity, solution, epss } = draft
  const rank = ranks[draft.source]
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
    refs: draft.references,
    epss_score: epss?.score ?? null,
    epss_percentile: epss?.percentile ?? null,
    known_exploited_at: draft.knownExploitedAt,
    record: draft.record,
    words_rank: rank.words,
    criteria_rank: criteriaRank(draft),
    severity_rank: severity.category === 'CATEGORY_UNSPECIFIED' ? 0 : rank.severity,
    modified_at: draft.modifiedAt,
    published_at: draft.publishedAt,
    effective_at: draft.effectiveAt,
  }
  const text = JSON.stringify(row)
  const digest = createHash('sha1')
    .update(`[${text},${JSON.stringify(draft.products)}]`)
    .digest('base64url')
  const kept = text.includes('\\u0000') ? JSON.stringify(withoutNul(row)) : text
  // A hundred thousand records come at a time: each is written as text once, and not again for its digest.
  return `${JSON.stringify({ id: newId(), digests: { [draft.source]: digest } }).slice(0, -1)},${kept.slice(1)}`
}

/** PostgreSQL stores no NUL, and no feed needs one. */
function withoutNul<Row extends object>(row: Row): Row {
  return JSON.parse(JSON.stringify(row), (_, value: unknown) => (typeof value === 'string' ? storable(value) : value))
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
