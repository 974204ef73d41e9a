import { type Kysely, sql } from 'kysely'

/**
 * How many active issues of a host are proven or inferred, where only whether there are any was kept: a decision then
 * adds and takes off what it changes, and need not read what else is on the host. What happened to one issue on its
 * hosts is read from the index of that issue, where it stands together, and not from fifty places in that of all hosts.
 */
export const name = '0025-host-counts'
export async function up(db: Kysely<unknown>): Promise<void> {
  await countActive(db)
  await sql`drop index issue_event_of_host`.execute(db)
  await sql`create index issue_event_of_host on issue_event (account_id, host_id, at) where host_id is not null`.execute(
    db,
  )
  await planForTheLargest(db)
}

async function countActive(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table host_count
      drop column has_verified,
      drop column has_potential,
      add column verified integer not null default 0,
      add column potential integer not null default 0`.execute(db)
  await sql`
    update host_count set verified = fresh.verified, potential = fresh.potential
    from (
      select account_id, host_id, count(*) filter (where proven) as verified, count(*) filter (where not proven) as potential
      from (
        select account_id, target_id, issue_id, host_id, bool_or(method <> 'version' and quality >= 95) as proven
        from occurrence
        group by account_id, target_id, issue_id, host_id
        having min(status_rank(status)) <= 2
      ) as active
      group by account_id, host_id
    ) as fresh
    where host_count.account_id = fresh.account_id and host_count.host_id = fresh.host_id`.execute(db)
}

/**
 * One account may hold most of what there is. A plan that is one for all values took each account for an even share of
 * a table, of which it made no difference how the few rows are found; now it takes it for the whole table, and prefers
 * the index that leads to the rows asked for and not merely to the account's.
 */
async function planForTheLargest(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function fence(tab regclass, privileges text) returns void language plpgsql as $$
    begin
      execute format('alter table %s enable row level security', tab);
      execute format(
        'create policy tenancy on %s to glacis_app using (account_id = nullif(current_setting(''glacis.account'', true), '''')::uuid)',
        tab);
      execute format('grant %s on %s to glacis_app', privileges, tab);
      execute format('alter table %s alter column account_id set (n_distinct = 1)', tab);
    end $$`.execute(db)
  await sql`
    do $$
    declare
      tab regclass;
    begin
      for tab in
        select polrelid from pg_policy
        join pg_attribute on attrelid = polrelid and attname = 'account_id'
        where polname = 'tenancy'
      loop
        execute format('alter table %s alter column account_id set (n_distinct = 1)', tab);
        execute format('analyze %s', tab);
      end loop;
    end $$`.execute(db)
}
