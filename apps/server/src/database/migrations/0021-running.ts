import { type Kysely, sql } from 'kysely'

/**
 * On how many hosts software runs and how many hosts a target has is told in every list of them, and was counted
 * over all of them each time.
 */
export const name = '0021-running'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table product add column hosts integer not null default 0`.execute(db)
  await hostsOfTargets(db)
  await countHosts(db)
}

/** A host goes only with its target, and what is counted of that with both. */
async function hostsOfTargets(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table target_hosts (
      account_id uuid not null,
      target_id uuid not null,
      -- Without those that were merged into another.
      hosts integer not null default 0,
      primary key (account_id, target_id),
      foreign key (account_id, target_id) references target (account_id, id) on delete cascade
    )`.execute(db)
  await sql`select fence('target_hosts', 'select')`.execute(db)
  await sql`
    create function count_new_hosts() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      insert into target_hosts (account_id, target_id, hosts)
      select account_id, target_id, count(*) from fresh
      where merged_into is null
      group by account_id, target_id
      order by account_id, target_id
      on conflict (account_id, target_id) do update set hosts = target_hosts.hosts + excluded.hosts;
      return null;
    end $$`.execute(db)
  await sql`
    create function count_merged_host() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      update target_hosts set hosts = hosts + case when new.merged_into is null then 1 else -1 end
      where account_id = new.account_id and target_id = new.target_id;
      return null;
    end $$`.execute(db)
  await sql`revoke execute on function count_new_hosts, count_merged_host from public`.execute(db)
  await sql`
    create trigger host_is_new after insert on host
    referencing new table as fresh for each statement execute function count_new_hosts()`.execute(db)
  await sql`
    create trigger host_is_merged after update of merged_into on host
    for each row when ((old.merged_into is null) <> (new.merged_into is null))
    execute function count_merged_host()`.execute(db)
}

/** Counts anew on how many hosts each product runs and how many each target has; from then on that is kept. */
export async function countHosts(db: Kysely<unknown>): Promise<void> {
  await sql`
    update product set hosts = running.hosts
    from (
      select account_id, product_id, count(distinct host_id)::int as hosts from host_product
      where gone_at is null
      group by account_id, product_id
    ) as running
    where product.account_id = running.account_id and product.id = running.product_id`.execute(db)
  await sql`
    insert into target_hosts (account_id, target_id, hosts)
    select account_id, target_id, count(*) from host
    where merged_into is null
    group by account_id, target_id
    on conflict (account_id, target_id) do update set hosts = excluded.hosts`.execute(db)
}
