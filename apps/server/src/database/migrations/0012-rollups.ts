import { type Kysely, sql } from 'kysely'

/**
 * What lists and charts would otherwise count anew each time: where issues stand within a target,
 * what each host and target has, which software an occurrence is about, and the close of each day.
 */
export const name = '0012-rollups'
export async function up(db: Kysely<unknown>): Promise<void> {
  await ranks(db)
  await standings(db)
  await days(db)
  await indexes(db)
  await fillStandings(db)
}

/** The order of statuses from worst to best, as `worstFirst` of the issues room has it. */
async function ranks(db: Kysely<unknown>): Promise<void> {
  const order = sql`'{STATUS_REGRESSION,STATUS_OPEN,STATUS_IGNORED,STATUS_RESOLVED}'::text[]`
  await sql`create function status_rank(status text) returns integer language sql immutable as $$
    select array_position(${order}, status) $$`.execute(db)
  await sql`create function status_of(rank integer) returns text language sql immutable as $$
    select (${order})[rank] $$`.execute(db)
}

async function standings(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table issue_target (
      account_id uuid not null,
      target_id uuid not null,
      issue_id uuid not null,
      -- The worst of its hosts there; of those where it is proven; of those where it is inferred.
      status text not null,
      verified_status text,
      potential_status text,
      category text not null,
      primary key (account_id, target_id, issue_id),
      foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade
    )`.execute(db)
  await sql`create index issue_target_of_issue on issue_target (account_id, issue_id)`.execute(db)
  await sql`select fence('issue_target', 'select, insert, update, delete')`.execute(db)

  const counts = sql`
      critical integer not null default 0,
      high integer not null default 0,
      medium integer not null default 0,
      low integer not null default 0`
  await sql`
    create table host_count (
      account_id uuid not null,
      host_id uuid not null,
      target_id uuid not null,
      ${counts},
      -- Whether something active is proven there; whether something active is inferred.
      has_verified boolean not null default false,
      has_potential boolean not null default false,
      primary key (account_id, host_id),
      foreign key (account_id, host_id) references host (account_id, id) on delete cascade
    )`.execute(db)
  await sql`select fence('host_count', 'select, insert, update, delete')`.execute(db)
  await sql`
    create table target_count (
      account_id uuid not null,
      target_id uuid not null,
      ${counts},
      -- Hosts with something active, with something proven, with something inferred.
      hosts integer not null default 0,
      hosts_verified integer not null default 0,
      hosts_potential integer not null default 0,
      primary key (account_id, target_id),
      foreign key (account_id, target_id) references target (account_id, id) on delete cascade
    )`.execute(db)
  await sql`select fence('target_count', 'select, insert, update, delete')`.execute(db)
}

async function days(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table stats_day (
      account_id uuid not null references account (id) on delete cascade,
      -- All zeros: the account as a whole, which has a row for every day. A target has one for the days that changed it.
      target_id uuid not null,
      -- In the account's time zone as it was when the day was closed.
      day date not null,
      closed_at timestamptz not null,
      -- Three times ten: all, verified, potential; see the stats room for the ten.
      counts integer[] not null check (cardinality(counts) = 30),
      primary key (account_id, target_id, day)
    )`.execute(db)
  // What was written is never changed.
  await sql`select fence('stats_day', 'select, insert')`.execute(db)
}

async function indexes(db: Kysely<unknown>): Promise<void> {
  // The one product that the occurrence is about, where there is one.
  await sql`alter table occurrence add column product_id uuid`.execute(db)
  // An issue seen through a target, and the other way round.
  await sql`create index occurrence_of_target_issue on occurrence (account_id, target_id, issue_id)`.execute(db)
  await sql`drop index occurrence_of_target`.execute(db)
  // The worst hosts of an issue.
  await sql`create index occurrence_worst on occurrence (account_id, issue_id, status, host_id)`.execute(db)
  // Issues of a product; risky products.
  await sql`
    create index occurrence_of_product on occurrence (account_id, product_id, status, issue_id)
    where product_id is not null`.execute(db)
  // How many hosts run a product now.
  await sql`
    create index host_product_running on host_product (account_id, product_id, host_id) where gone_at is null`.execute(
    db,
  )
  // How many hosts a target has.
  await sql`create index host_of_target_whole on host (account_id, target_id) where merged_into is null`.execute(db)
  await sql`create index product_by_name on product (account_id, name, id)`.execute(db)
  // The risk list without a choice of verification.
  await sql`create index issue_by_recency_of_all on issue (account_id, last_seen_at desc, id desc)`.execute(db)
  await sql`create index issue_by_priority_of_all on issue (account_id, priority desc, id desc)`.execute(db)
  // The last point of the charts.
  await sql`create index issue_standing on issue (account_id, status, verification, category)`.execute(db)
  // What happened to a host, and to the hosts of a target.
  await sql`
    create index issue_event_of_host on issue_event (account_id, host_id, issue_id, at)
    where host_id is not null`.execute(db)
  await sql`
    create index issue_event_of_target on issue_event (account_id, target_id, at)
    where host_id is not null`.execute(db)
  // The history of issues as wholes, without that of their hosts.
  await sql`create index issue_event_of_whole on issue_event (account_id, issue_id, at) where host_id is null`.execute(
    db,
  )
}

/** Brings the standings in line with what is there; every change after this keeps them so. */
async function fillStandings(db: Kysely<unknown>): Promise<void> {
  await fillIssueTargets(db)
  await sql`
    insert into host_count (account_id, host_id, target_id, critical, high, medium, low, has_verified, has_potential)
    select seen.account_id, seen.host_id, seen.target_id,
           count(*) filter (where active and category = 'CATEGORY_CRITICAL'), count(*) filter (where active and category = 'CATEGORY_HIGH'),
           count(*) filter (where active and category = 'CATEGORY_MEDIUM'), count(*) filter (where active and category = 'CATEGORY_LOW'),
           coalesce(bool_or(active and proven), false), coalesce(bool_or(active and not proven), false)
    from (
      select account_id, target_id, issue_id, host_id, min(status_rank(status)) <= 2 as active,
             bool_or(method <> 'version' and quality >= 95) as proven
      from occurrence
      group by account_id, target_id, issue_id, host_id
    ) as seen
    join issue on issue.account_id = seen.account_id and issue.id = seen.issue_id
    group by seen.account_id, seen.host_id, seen.target_id`.execute(db)
  await sql`
    insert into target_count (account_id, target_id, critical, high, medium, low, hosts, hosts_verified, hosts_potential)
    select target.account_id, target.id, issues.critical, issues.high, issues.medium, issues.low,
           hosts.hosts, hosts.verified, hosts.potential
    from target
    cross join lateral (
      select count(*) filter (where category = 'CATEGORY_CRITICAL') as critical, count(*) filter (where category = 'CATEGORY_HIGH') as high,
             count(*) filter (where category = 'CATEGORY_MEDIUM') as medium, count(*) filter (where category = 'CATEGORY_LOW') as low
      from issue_target
      where account_id = target.account_id and target_id = target.id and status_rank(status) <= 2
    ) as issues
    cross join lateral (
      select count(*) filter (where has_verified or has_potential) as hosts, count(*) filter (where has_verified) as verified,
             count(*) filter (where has_potential) as potential
      from host
      join host_count on host_count.account_id = host.account_id and host_count.host_id = host.id
      where host.account_id = target.account_id and host.target_id = target.id
    ) as hosts`.execute(db)
  await nameProducts(db)
}

/** Where issues stand within targets. */
export async function fillIssueTargets(db: Kysely<unknown>): Promise<void> {
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

/** Which product each occurrence is about. */
export async function nameProducts(db: Kysely<unknown>): Promise<void> {
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
