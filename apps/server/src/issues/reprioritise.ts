/** Ratings change while issues stand: a CVE becomes known to be exploited, its probability rises. */
import { type PriorityFacts, priorityOf } from '@glacis/intelligence'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { Tables } from '#database/tables.ts'
import { type Kysely, sql } from 'kysely'

interface Rating {
  readonly threat_id: string
  readonly verification: string
  readonly is_reachable: boolean
  /** 0 low, 1 normal, 2 high: the host that matters most of those where it stands. */
  readonly weight: number
  readonly score: number
  readonly category: SeverityCategory
  readonly epss_score: number | null
  readonly known_exploited_at: Date | null
}

const criticalities = ['low', 'normal', 'high'] as const

/** What the priority of an issue rests on, out of its columns and its threat's. */
export function factsOf(row: Omit<Rating, 'threat_id' | 'category'>): PriorityFacts {
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
 */
export async function reprioritise(owner: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<Rating>`
    select distinct issue.threat_id, issue.verification, issue.is_reachable, issue.weight,
           threat.score, threat.category, threat.epss_score, threat.known_exploited_at
    from issue
    join threat on threat.id = issue.threat_id`.execute(owner)
  const { numAffectedRows = 0n } = await sql`
    update issue set priority = rated.priority, score = rated.score, category = rated.category, epss = rated.epss, updated_at = now()
    from unnest(
      ${rows.map((row) => row.threat_id)}::uuid[], ${rows.map((row) => row.verification)}::text[],
      ${rows.map((row) => row.is_reachable)}::boolean[], ${rows.map((row) => priorityOf(factsOf(row)).value)}::int[],
      ${rows.map((row) => row.score)}::numeric[], ${rows.map((row) => row.category)}::text[],
      ${rows.map((row) => row.weight)}::int[], ${rows.map((row) => row.epss_score ?? 0)}::real[]
    ) as rated (threat_id, verification, is_reachable, priority, score, category, weight, epss)
    where issue.threat_id = rated.threat_id and issue.verification = rated.verification
      and issue.is_reachable = rated.is_reachable and issue.weight = rated.weight
      and (issue.priority, issue.score, issue.category, issue.epss)
        is distinct from (rated.priority, rated.score, rated.category, rated.epss)`.execute(owner)
  return Number(numAffectedRows)
}
