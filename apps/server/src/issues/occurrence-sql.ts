/** SQL expressions on rows of `occurrence`. */
import type { IssueStatus } from '@glacis/contract/issue'
import { type RawBuilder, sql } from 'kysely'

/** Minimum detection quality of a verified issue. */
const verifiedQualityMin = 95

export const isVerified = sql<boolean>`(occurrence.method not in ('version', 'package') and occurrence.quality >= ${sql.lit(verifiedQualityMin)})`

/** The status of a group of occurrences: the worst of them. */
export const worstStatus = sql<IssueStatus>`status_of(min(status_rank(occurrence.status)))`

/** Rows `issue_id, target_id, host_id, rank, is_verified`: each issue on each host. */
export const issuesByHost = (condition: RawBuilder<unknown>) => sql`
  select occurrence.issue_id, occurrence.target_id, occurrence.host_id, min(status_rank(occurrence.status)) as rank,
         bool_or(${isVerified}) as is_verified
  from occurrence
  where ${condition}
  group by occurrence.issue_id, occurrence.target_id, occurrence.host_id`
