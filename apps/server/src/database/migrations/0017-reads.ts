import { type Kysely, sql } from 'kysely'

/** What lists and charts count is in their indexes whole, and what is said of few hosts is in indexes of those few. */
export const name = '0017-reads'
export async function up(db: Kysely<unknown>): Promise<void> {
  // Scans over time, of an account or of one of its targets.
  await sql`drop index scan_completed`.execute(db)
  await sql`
    create index scan_completed on scan (account_id, completed_at) include (target_id)
    where status = 'STATUS_COMPLETED' and retest_of is null`.execute(db)
  // How bad the issues of each product in a list are.
  await sql`create index issue_rated on issue (account_id, id) include (category)`.execute(db)
  // Whether an issue can be reached from outside, and whether it is on hosts that matter less or more.
  await sql`
    create index host_outside on host (account_id, id)
    where not (address::inet <<= any ('{10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,169.254.0.0/16,fc00::/7,fe80::/10}'::inet[]))`.execute(
    db,
  )
  await sql`
    create index host_weighed on host (account_id, id) include (criticality)
    where criticality <> 'CRITICALITY_NORMAL'`.execute(db)
}
