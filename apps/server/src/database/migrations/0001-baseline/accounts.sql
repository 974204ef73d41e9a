-- The application connects as a role that owns nothing, so row-level security applies to it: a statement sees only
-- the rows of the account that its transaction was opened for. Roles are shared by all databases of a cluster.
do $$ begin
  if not exists (select from pg_roles where rolname = 'glacis_app') then
    begin
      create role glacis_app nologin;
    exception when duplicate_object or unique_violation then null; -- created concurrently for another database
    end;
  end if;
  if not pg_has_role(current_user, 'glacis_app', 'set') then
    begin
      grant glacis_app to current_user;
    exception when unique_violation then null;
    end;
  end if;
end $$;
grant usage on schema public to glacis_app;

-- UUIDs of version 7 (RFC 9562) for rows inserted by SQL; PostgreSQL has uuidv7() only since version 18.
create function new_id() returns uuid language sql volatile as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
      52, 1), 53, 1), 'hex')::uuid
$$;

-- Isolates the accounts in a table with an account_id; `privileges` is what the application may do.
-- One account can own most of a table. With n_distinct = 1 a generic plan assumes that it owns all of it, and prefers
-- an index that leads to the requested rows over one that only leads to the account.
create function enable_tenancy(tab regclass, privileges text) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', tab);
  execute format(
    'create policy tenancy on %s to glacis_app using (account_id = nullif(current_setting(''glacis.account'', true), '''')::uuid)',
    tab);
  execute format('grant %s on %s to glacis_app', privileges, tab);
  execute format('alter table %s alter column account_id set (n_distinct = 1)', tab);
end $$;

-- Generated at the first start. The application's role can't read it.
create table installation (
  is_only boolean primary key default true check (is_only),
  secret text not null
);

create table account (
  id uuid primary key,
  identity_id text not null unique,
  name text not null,
  email text not null,
  plan_id text not null default 'free' check (plan_id in ('free', 'starter', 'team', 'business', 'enterprise')),
  plan_period text not null default 'PERIOD_UNSPECIFIED'
    check (plan_period in ('PERIOD_UNSPECIFIED', 'PERIOD_MONTHLY', 'PERIOD_YEARLY')),
  -- Purchased targets; null for what the plan includes.
  plan_targets integer check (plan_targets > 0),
  time_zone text not null default 'UTC',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table account enable row level security;
create policy tenancy on account to glacis_app
  using (id = nullif(current_setting('glacis.account', true), '')::uuid);
grant select, update (plan_id, plan_period, plan_targets, updated_at) on account to glacis_app;

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
);
-- The audit log, newest first.
create index audit_event_at on audit_event (account_id, at desc, id desc);
select enable_tenancy('audit_event', 'select, insert');

-- Deleting an account deletes its audit log. This table keeps the fact that it was deleted, when, and by whom.
create table deletion (
  id uuid primary key,
  at timestamptz not null default now(),
  -- The operating system user who ran the command.
  operator text not null,
  action text not null,
  -- Ids of deleted rows, which identify the account in older backups.
  former_account uuid,
  former_identity text,
  -- Counts only, never the deleted data.
  detail jsonb not null default '{}'
);
-- Append only, even for the owner of the tables.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed', tg_table_name;
end $$;
create trigger deletion_stays before update or delete on deletion
for each row execute function refuse_change();

create table api_token (
  account_id uuid not null references account (id) on delete cascade,
  id uuid not null,
  name text not null,
  scopes text[] not null,
  prefix text not null,
  -- SHA-256 of the token, which has 256 random bits.
  digest bytea not null unique,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  primary key (account_id, id)
);
select enable_tenancy('api_token', 'select, insert, delete');

create table saved_view (
  account_id uuid not null references account (id) on delete cascade,
  id uuid not null,
  name text not null check (char_length(name) between 1 and 40),
  page text not null,
  query text not null,
  shared boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);
create unique index saved_view_name on saved_view (account_id, page, lower(name));
select enable_tenancy('saved_view', 'select, insert, update, delete');

create table idempotency_key (
  account_id uuid not null references account (id) on delete cascade,
  key text not null,
  -- Method and path, and a digest of the request.
  call text not null,
  digest text not null,
  answer jsonb not null,
  created_at timestamptz not null,
  primary key (account_id, key)
);
create index idempotency_key_age on idempotency_key (account_id, created_at);
select enable_tenancy('idempotency_key', 'select, insert, update, delete');
