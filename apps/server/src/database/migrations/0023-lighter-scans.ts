import { type Kysely, sql } from 'kysely'

/**
 * What a scan says of an issue is written while the issue is locked: to look each of them up again took half of the
 * time. Issues go only with their account, and so do scans with all that they say.
 */
export const name = '0023-lighter-scans'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table scan_issue drop constraint scan_issue_account_id_issue_id_fkey`.execute(db)
  // A batch sees many at one moment: of these, the worst stands first.
  await sql`drop index issue_by_recency, issue_by_recency_of_all`.execute(db)
  await sql`
    create index issue_by_recency on issue (account_id, verification, last_seen_at desc, priority desc, id desc)`.execute(
    db,
  )
  await sql`
    create index issue_by_recency_of_all on issue (account_id, last_seen_at desc, priority desc, id desc)`.execute(db)
}
