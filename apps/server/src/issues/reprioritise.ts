/** Ratings change while issues stand: a CVE becomes known to be exploited, its probability rises. */
import { type PriorityFacts, priorityOf } from '@glacis/intelligence'
import { type Ctx, type Log, systemActor } from '#ctx.ts'
import { type Database, inAccount } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { refreshStandings } from '#issues/standings.ts'
import { type Kysely, sql } from 'kysely'

interface Rating {
  readonly threat_id: string
  readonly verification: string
  readonly is_reachable: boolean
  /** 0 low, 1 normal, 2 high: the host that matters most of those where it stands. */
  readonly weight: number
  readonly score: number
  readonly epss_score: number | null
  readonly known_exploited_at: Date | null
}

const criticalities = ['low', 'normal', 'high'] as const

/** What the priority of an issue rests on, out of its columns and its threat's. */
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
 * Brings severity and priority of all issues of all accounts in line with what is known of their
 * threats, and answers how many changed. Running it again changes nothing.
 *
 * @param together issues of which one transaction changes the severity: people who decide about one wait so long
 */
export async function reprioritise(database: Database, log: Log, together = 500): Promise<number> {
  const { rows: rated } = await sql<{ account_id: string }>`
    select distinct issue.account_id from issue
    join threat on threat.id = issue.threat_id
    where issue.category <> threat.category`.execute(database.owner)
  let count = 0
  for (const { account_id: account } of rated) {
    const as = { account, actor: { ...systemActor, name: 'feeds' }, log }
    for (;;) {
      const some = await inAccount(database, as, (ctx) => rateSome(ctx, together))
      if (some === 0) break
      count += some
    }
  }
  return count + (await weigh(database.owner))
}

/** And their places. */
const placesTogether = 10_000

/** Severities that changed in an account, with all that is counted by them; answers of how many issues this time. */
async function rateSome(ctx: Ctx, together: number): Promise<number> {
  const { rows } = await sql<{ id: string; host_count: number }>`
    select issue.id, issue.host_count from issue
    join threat on threat.id = issue.threat_id
    where issue.account_id = ${ctx.account} and issue.category <> threat.category
    order by issue.id
    limit ${together}
    for update of issue`.execute(ctx.tx)
  let places = 0
  const some = rows.filter(({ host_count }, index) => (places += host_count) <= placesTogether || index === 0)
  const ids = some.map((row) => row.id)
  if (ids.length === 0) return 0
  await sql`
    insert into issue_rating (account_id, issue_id, id, at, before, after)
    select ${ctx.account}, issue.id, new_id(), ${ctx.now}, issue.category, threat.category
    from issue
    join threat on threat.id = issue.threat_id
    where issue.account_id = ${ctx.account} and issue.id = any(${ids}::uuid[])`.execute(ctx.tx)
  await sql`
    update issue set category = threat.category, score = threat.score, updated_at = ${ctx.now}
    from threat
    where threat.id = issue.threat_id and issue.account_id = ${ctx.account} and issue.id = any(${ids}::uuid[])`.execute(
    ctx.tx,
  )
  await refreshStandings(ctx, ids)
  return ids.length
}

async function weigh(owner: Kysely<Tables>): Promise<number> {
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
