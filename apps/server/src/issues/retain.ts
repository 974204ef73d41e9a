import type { Database } from '#database/index.ts'
import { sql } from 'kysely'

const batch = 5000

/** What stands in place of evidence that was removed. */
export const removedWords = 'Removed after the time for which evidence is kept'

/**
 * Forgets, over all accounts and in small transactions, the history before `history` but for what
 * still stands, and the evidence of what was neither seen nor open since `evidence`.
 */
export async function forgetIssues(database: Database, before: { history: Date; evidence: Date }): Promise<void> {
  // The last event of an issue or a host says where it stands; it stays whatever its age.
  await repeat(
    () => sql`
      delete from issue_event where ctid in (
        select event.ctid from issue_event as event
        where event.at < ${before.history} and exists (
          select from issue_event as later
          where later.account_id = event.account_id and later.issue_id = event.issue_id
            and later.host_id is not distinct from event.host_id and (later.at, later.id) > (event.at, event.id))
        limit ${batch})`,
  )
  await repeat(
    () => sql`
      update occurrence set evidence =
        (evidence - 'request' - 'highlights') || jsonb_build_object('text', ${removedWords}::text, 'highlights', '[]'::jsonb)
      where ctid in (
        select ctid from occurrence
        where status = 'STATUS_RESOLVED' and last_seen_at < ${before.evidence} and evidence ->> 'text' <> ${removedWords}
        limit ${batch})`,
  )
  async function repeat(statement: () => ReturnType<typeof sql>): Promise<void> {
    for (;;) {
      const { numAffectedRows } = await statement().execute(database.owner)
      if (Number(numAffectedRows ?? 0) < batch) return
    }
  }
}
