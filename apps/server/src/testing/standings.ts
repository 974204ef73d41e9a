/** What is kept of hosts and targets, counted from nothing: for large seeds, and for what it must be after any change. */
import { fillIssueTargets, nameProducts } from '#database/migrations/0012-rollups.ts'
import { type Kysely, sql } from 'kysely'

/** Fills the standings, which must be empty, and names the products of occurrences. */
export async function fillStandings(db: Kysely<unknown>): Promise<void> {
  await fillIssueTargets(db)
  const bySeverity = sql`
    count(*) filter (where category = 'CATEGORY_CRITICAL'), count(*) filter (where category = 'CATEGORY_HIGH'),
    count(*) filter (where category = 'CATEGORY_MEDIUM'), count(*) filter (where category = 'CATEGORY_LOW')`
  // A host has what stands on it, be it resolved.
  await sql`
    insert into host_count (account_id, host_id, target_id)
    select distinct account_id, host_id, target_id from occurrence`.execute(db)
  await sql`
    update host_count set (critical, high, medium, low, verified, potential) = (
      select ${bySeverity}, count(*) filter (where proven), count(*) filter (where not proven)
      from (
        select issue.category, bool_or(occurrence.method <> 'version' and occurrence.quality >= 95) as proven
        from occurrence
        join issue on issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
        where occurrence.account_id = host_count.account_id and occurrence.host_id = host_count.host_id
        group by issue.id, issue.category
        having bool_or(occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION'))
      ) as active)`.execute(db)
  await sql`
    insert into target_count (account_id, target_id, critical, high, medium, low, hosts, hosts_verified, hosts_potential)
    select target.account_id, target.id, issues.*, hosts.*
    from target
    cross join lateral (
      select ${bySeverity} from issue_target
      where account_id = target.account_id and target_id = target.id and status in ('STATUS_OPEN', 'STATUS_REGRESSION')
    ) as issues
    cross join lateral (
      select count(*) filter (where verified > 0 or potential > 0), count(*) filter (where verified > 0),
             count(*) filter (where potential > 0)
      from host_count where account_id = target.account_id and target_id = target.id
    ) as hosts`.execute(db)
  await nameProducts(db)
}
