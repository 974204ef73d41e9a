import type { Database } from '#database/index.ts'
import { cutoffOf } from '#database/retention.ts'
import { sql } from 'kysely'

const batchSize = 5000

/** Replaces evidence that was removed. */
export const removedEvidenceText = 'Removed after the retention period for evidence'

/**
 * Deletes history older than `history`, except the latest status, and the evidence of resolved issues
 * not seen since `evidence`. Covers all workspaces, in small transactions. A workspace's own retention
 * settings override these dates.
 */
export async function deleteExpiredIssueData(
  database: Database,
  before: { history: Date; evidence: Date },
): Promise<void> {
  // The last event of an issue or host determines its status and is kept regardless of age.
  await repeat(
    () => sql`
      delete from issue_event where ctid in (
        select event.ctid from issue_event as event join workspace on workspace.id = event.account_id
        where event.at < ${cutoffOf('history_days', before.history)} and exists (
          select from issue_event as later
          where later.account_id = event.account_id and later.issue_id = event.issue_id
            and later.host_id is not distinct from event.host_id and (later.at, later.id) > (event.at, event.id))
        limit ${batchSize})`,
  )
  await repeat(
    () => sql`
      update occurrence set evidence =
        (evidence - 'request' - 'highlights' - 'extracted' - 'reproduce') || jsonb_build_object('text', ${removedEvidenceText}::text, 'highlights', '[]'::jsonb)
      where ctid in (
        select occurrence.ctid from occurrence join workspace on workspace.id = occurrence.account_id
        where status = 'STATUS_RESOLVED' and last_seen_at < ${cutoffOf('evidence_days', before.evidence)} and evidence ->> 'text' <> ${removedEvidenceText}
        limit ${batchSize})`,
  )
  async function repeat(statement: () => ReturnType<typeof sql>): Promise<void> {
    for (;;) {
      const { numAffectedRows } = await statement().execute(database.owner)
      if (Number(numAffectedRows ?? 0) < batchSize) return
    }
  }
}
