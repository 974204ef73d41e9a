-- The outbox: events are written in the transaction of the change that they announce.
create table event (
  account_id uuid not null references account (id) on delete cascade,
  id bigint generated always as identity,
  -- The writing transaction: readers stop before the oldest transaction still running, so that a late commit is
  -- never skipped.
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null,
  kind text not null,
  title text not null,
  -- CVSS score of an issue.
  score numeric(3, 1),
  resource_kind text not null,
  resource_id text not null,
  -- The affected targets; null for the whole account.
  target_ids uuid[],
  primary key (account_id, id)
);
create index event_order on event (account_id, xid, id);
create index event_at on event (account_id, at);
select enable_tenancy('event', 'select, insert, delete');

create table channel (
  account_id uuid not null references account (id) on delete cascade,
  id uuid not null,
  kind text not null check (kind in ('KIND_EMAIL', 'KIND_WEBHOOK', 'KIND_SLACK', 'KIND_DISCORD')),
  webhook_url text not null,
  secret text not null,
  events text[] not null,
  min_severity numeric(3, 1) not null,
  tag_ids uuid[] not null,
  is_enabled boolean not null default true,
  failures integer not null default 0,
  -- Events of transactions before this one have been dispatched.
  taken_until xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);
select enable_tenancy('channel', 'select, insert, update, delete');

create table delivery (
  account_id uuid not null,
  id uuid not null,
  channel_id uuid not null,
  state text not null check (state in ('STATE_PENDING', 'STATE_DELIVERED', 'STATE_FAILED')),
  notices jsonb not null,
  event_count integer not null,
  attempts integer not null default 0,
  status_code integer,
  latency_ms integer,
  error text not null default '',
  answer text not null default '',
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (account_id, id),
  foreign key (account_id, channel_id) references channel (account_id, id) on delete cascade
);
create index delivery_of_channel on delivery (account_id, channel_id, id desc);
select enable_tenancy('delivery', 'select, insert, update, delete');
