import { type Kysely, sql } from 'kysely'

/**
 * The role the application works as. It owns nothing, so row-level security holds for it: a
 * statement sees the rows of the account that the transaction was opened for, and no others.
 */
export const name = '0001-accounts'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$ begin
      if not exists (select from pg_roles where rolname = 'glacis_app') then
        begin
          create role glacis_app nologin;
        exception when duplicate_object or unique_violation then null; -- of another database, at this very moment
        end;
      end if;
      if not pg_has_role(current_user, 'glacis_app', 'set') then
        begin
          grant glacis_app to current_user;
        exception when unique_violation then null;
        end;
      end if;
    end $$`.execute(db)
  await sql`grant usage on schema public to glacis_app`.execute(db)

  // What this installation made for itself at its first start. The application's role may not read it.
  await sql`
    create table installation (
      is_only boolean primary key default true check (is_only),
      secret text not null
    )`.execute(db)

  // Ids of version 7 (RFC 9562) for rows that SQL itself makes; PostgreSQL has its own only since 18.
  await sql`
    create function new_id() returns uuid language sql volatile as $$
      select encode(
        set_bit(set_bit(
          overlay(uuid_send(gen_random_uuid())
            placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
          52, 1), 53, 1), 'hex')::uuid
    $$`.execute(db)

  // Gives a table with an account_id its wall; `privileges` is what the application may do to it.
  await sql`
    create function fence(tab regclass, privileges text) returns void language plpgsql as $$
    begin
      execute format('alter table %s enable row level security', tab);
      execute format(
        'create policy tenancy on %s to glacis_app using (account_id = nullif(current_setting(''glacis.account'', true), '''')::uuid)',
        tab);
      execute format('grant %s on %s to glacis_app', privileges, tab);
    end $$`.execute(db)

  await sql`
    create table account (
      id uuid primary key,
      identity_id text not null unique,
      name text not null,
      email text not null,
      plan_id text not null default 'free' check (plan_id in ('free', 'starter', 'team', 'business', 'enterprise')),
      plan_period text not null default 'PERIOD_UNSPECIFIED'
        check (plan_period in ('PERIOD_UNSPECIFIED', 'PERIOD_MONTHLY', 'PERIOD_YEARLY')),
      -- Targets that were bought; null for what the plan includes.
      plan_targets integer check (plan_targets > 0),
      time_zone text not null default 'UTC',
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`alter table account enable row level security`.execute(db)
  await sql`
    create policy tenancy on account to glacis_app
    using (id = nullif(current_setting('glacis.account', true), '')::uuid)`.execute(db)
  await sql`grant select, update (plan_id, plan_period, plan_targets, updated_at) on account to glacis_app`.execute(db)

  await sql`
    create table audit_event (
      account_id uuid not null references account (id) on delete cascade,
      id uuid not null,
      at timestamptz not null,
      actor_kind text not null,
      actor_name text not null,
      action text not null,
      resource_kind text not null,
      resource_id text not null,
      detail jsonb not null default '{}',
      ip text not null default '',
      primary key (account_id, id)
    )`.execute(db)
  await sql`select fence('audit_event', 'select, insert')`.execute(db)
}
