/**
 * Updates severity and priority of existing issues when feeds change: new KEV entries, EPSS scores, and CVSS ratings.
 */
import { type PriorityFacts, priorityOf } from '@glacis/intelligence'
import { type Ctx, type Log, systemActor } from '#ctx.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { refreshCounts } from '#issues/status-counts.ts'
import { type Kysely, sql } from 'kysely'

interface Rating {
  readonly threat_id: string
  readonly verification: string
  readonly is_reachable: boolean
  /** Highest criticality of the affected hosts: 0 low, 1 normal, 2 high. */
  readonly weight: number
  readonly score: number
  readonly epss_score: number | null
  readonly known_exploited_at: Date | null
}

const criticalities = ['low', 'normal', 'high'] as const

/** The inputs of the priority, from the columns of an issue and its threat. */
export function factsOf(row: Omit<Rating, 'threat_id'>): PriorityFacts {
  return {
    score: row.score,
    epss: row.epss_score ?? undefined,
    isKnownExploited: row.known_exploited_at !== null,
    isVerified: row.verification === 'VERIFICATION_VERIFIED',
    isReachableFromInternet: row.is_reachable,
    criticality: criticalities[row.weight],
  }
}

/**
 * Updates severity and priority of all issues of all workspaces from the current threat ratings, and
 * returns how many changed. Idempotent.
 *
 * @param issuesPerTransaction maximum number of issues changed per transaction, which bounds how long users
 * wait for locks
 */
export async function reprioritize(database: Database, log: Log, issuesPerTransaction = 500): Promise<number> {
  const { rows: rated } = await sql<{ account_id: string }>`
    select distinct issue.account_id from issue
    join threat on threat.id = issue.threat_id
    where issue.category <> threat.category`.execute(database.owner)
  let count = 0
  for (const { account_id: workspace } of rated) {
    const as = { workspace, actor: { ...systemActor, name: 'feeds' }, log }
    for (;;) {
      const some = await inWorkspace(database, as, (ctx) => rateBatch(ctx, issuesPerTransaction))
      if (some === 0) break
      count += some
    }
  }
  return count + (await updatePriorities(database.owner))
}

/** Maximum number of their occurrences. */
const occurrencesPerTransaction = 10_000

/**
 * Updates a part of the severities of a workspace, with all rollups that depend on them. Returns the
 * number of issues updated.
 */
async function rateBatch(ctx: Ctx, issuesPerTransaction: number): Promise<number> {
  const { rows } = await sql<{ id: string; host_count: number }>`
    select issue.id, issue.host_count from issue
    join threat on threat.id = issue.threat_id
    where issue.account_id = ${ctx.workspace} and issue.category <> threat.category
    order by issue.id
    limit ${issuesPerTransaction}
    for update of issue`.execute(ctx.tx)
  let occurrences = 0
  const some = rows.filter(
    ({ host_count }, index) => (occurrences += host_count) <= occurrencesPerTransaction || index === 0,
  )
  const ids = some.map((row) => row.id)
  if (ids.length === 0) return 0
  await sql`
    update issue set category = threat.category, score = threat.score, updated_at = ${ctx.now}
    from threat
    where threat.id = issue.threat_id and issue.account_id = ${ctx.workspace} and issue.id = any(${ids}::uuid[])`.execute(
    ctx.tx,
  )
  await refreshCounts(ctx, ids)
  return ids.length
}

async function updatePriorities(owner: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<Rating>`
    select distinct issue.threat_id, issue.verification, issue.is_reachable, issue.weight,
           threat.score, threat.epss_score, threat.known_exploited_at
    from issue
    join threat on threat.id = issue.threat_id`.execute(owner)
  const { numAffectedRows = 0n } = await sql`
    update issue set priority = rated.priority, score = rated.score, epss = rated.epss, updated_at = now()
    from unnest(
      ${rows.map((row) => row.threat_id)}::uuid[], ${rows.map((row) => row.verification)}::text[],
      ${rows.map((row) => row.is_reachable)}::boolean[], ${rows.map((row) => priorityOf(factsOf(row)).value)}::int[],
      ${rows.map((row) => row.score)}::numeric[],
      ${rows.map((row) => row.weight)}::int[], ${rows.map((row) => row.epss_score ?? 0)}::real[]
    ) as rated (threat_id, verification, is_reachable, priority, score, weight, epss)
    where issue.threat_id = rated.threat_id and issue.verification = rated.verification
      and issue.is_reachable = rated.is_reachable and issue.weight = rated.weight
      and (issue.priority, issue.score, issue.epss) is distinct from (rated.priority, rated.score, rated.epss)`.execute(
    owner,
  )
  return Number(numAffectedRows)
}
