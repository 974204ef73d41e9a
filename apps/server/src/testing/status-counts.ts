/** Computes the counts of hosts and targets from scratch, for large seeds and to verify incremental updates. */
import { type Kysely, sql } from 'kysely'

/** Fills the counts, which must be empty, and sets the products of occurrences. */
export async function fillStatusCounts(db: Kysely<unknown>): Promise<void> {
  await fillIssueTargets(db)
  const bySeverity = sql`
    count(*) filter (where category = 'CATEGORY_CRITICAL'), count(*) filter (where category = 'CATEGORY_HIGH'),
    count(*) filter (where category = 'CATEGORY_MEDIUM'), count(*) filter (where category = 'CATEGORY_LOW')`
  // A host has a row if it has occurrences, including resolved ones.
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

async function fillIssueTargets(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into issue_target (account_id, target_id, issue_id, status, verified_status, potential_status, category)
    select seen.account_id, seen.target_id, seen.issue_id, status_of(min(rank)),
           status_of(min(rank) filter (where proven)), status_of(min(rank) filter (where not proven)), issue.category
    from (
      select account_id, target_id, issue_id, host_id, min(status_rank(status)) as rank,
             bool_or(method <> 'version' and quality >= 95) as proven
      from occurrence
      group by account_id, target_id, issue_id, host_id
    ) as seen
    join issue on issue.account_id = seen.account_id and issue.id = seen.issue_id
    group by seen.account_id, seen.target_id, seen.issue_id, issue.category`.execute(db)
}

/** Sets the product of each occurrence. */
async function nameProducts(db: Kysely<unknown>): Promise<void> {
  await sql`
    update occurrence set product_id = found.product_id
    from (
      select occurrence.account_id, occurrence.id,
             case when occurrence.method = 'version'
               then (array_agg(product.id order by host_product.last_seen_at desc) filter (
                 where occurrence.location = host_product.port || ' ' || product.vendor || ':' || product.product))[1]
               else case when count(*) = 1 then (array_agg(product.id))[1] end
             end as product_id
      from occurrence
      join host_product
        on host_product.account_id = occurrence.account_id and host_product.host_id = occurrence.host_id
        and host_product.port = occurrence.port and host_product.gone_at is null
      join product on product.account_id = host_product.account_id and product.id = host_product.product_id
      group by occurrence.account_id, occurrence.id
    ) as found
    where occurrence.account_id = found.account_id and occurrence.id = found.id and found.product_id is not null`.execute(
    db,
  )
}
