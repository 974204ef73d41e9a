import { type Kysely, sql } from 'kysely'

/** What lists and charts count is in their indexes whole, so that they need not look at the rows. */
export const name = '0017-reads'
export async function up(db: Kysely<unknown>): Promise<void> {
  // Scans over time, of an account or of one of its targets.
  await sql`drop index scan_completed`.execute(db)
  await sql`
    create index scan_completed on scan (account_id, completed_at) include (target_id)
    where status = 'STATUS_COMPLETED' and retest_of is null`.execute(db)
  // How bad the issues of each product in a list are.
  await sql`create index issue_rated on issue (account_id, id) include (category)`.execute(db)
}
