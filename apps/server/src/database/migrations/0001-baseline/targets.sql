create table agent (
  account_id uuid not null references account (id) on delete cascade,
  id uuid not null,
  name text not null check (char_length(name) between 1 and 128),
  version text not null default '',
  system text not null default '',
  hostname text not null default '',
  networks jsonb not null default '[]',
  latency_ms integer,
  -- How far its clock is ahead of ours; negative when behind.
  clock_ahead_ms integer not null default 0,
  -- The current connection; null when it disconnected or never connected.
  connection_id uuid,
  -- The process that connected last.
  instance_id uuid,
  last_seen_at timestamptz,
  -- It disconnected, but no notification was sent yet, because it may only be restarting.
  is_notice_due boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);
-- The sweep that detects lost connections, over all accounts.
create index agent_connected on agent (last_seen_at) where connection_id is not null;
create index agent_notice on agent (last_seen_at) where is_notice_due;
select enable_tenancy('agent', 'select, insert, update, delete');

-- Secrets are looked up by their digest before the account is known, so the digest alone is the key.
create table agent_key (
  account_id uuid not null,
  agent_id uuid not null,
  digest bytea primary key,
  kind text not null check (kind in ('TOKEN', 'KEY')),
  expires_at timestamptz,
  created_at timestamptz not null,
  foreign key (account_id, agent_id) references agent (account_id, id) on delete cascade
);
create index agent_key_of_agent on agent_key (account_id, agent_id);
select enable_tenancy('agent_key', 'select, insert, update, delete');

create table agent_connection (
  account_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  connected_at timestamptz not null,
  disconnected_at timestamptz,
  reason text check (reason in ('REASON_STOPPED', 'REASON_LOST', 'REASON_REVOKED', 'REASON_REPLACED')),
  version text not null,
  address text not null,
  primary key (account_id, id),
  foreign key (account_id, agent_id) references agent (account_id, id) on delete cascade
);
create index agent_connection_of_agent on agent_connection (account_id, agent_id, id desc);
select enable_tenancy('agent_connection', 'select, insert, update, delete');

create table target (
  account_id uuid not null references account (id) on delete cascade,
  id uuid not null,
  name text not null check (char_length(name) between 1 and 128),
  address text not null,
  kind text not null,
  schedule_period text not null check (schedule_period in ('PERIOD_DAILY', 'PERIOD_WEEKLY', 'PERIOD_MONTHLY')),
  -- The contract's AllowedHours; null for any time.
  allowed_hours jsonb,
  next_scan_at timestamptz,
  last_scan_at timestamptz,
  paused_at timestamptz,
  unresolved_since timestamptz,
  exclusions text[] not null default '{}',
  profile text not null default 'gentle' check (profile in ('gentle', 'standard', 'deep')),
  ports text not null default '',
  rate_per_host integer check (rate_per_host between 1 and 1000),
  agent_id uuid,
  -- Name of the deleted agent. The target isn't scanned until it has a new one.
  former_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (account_id, id),
  foreign key (account_id, agent_id) references agent (account_id, id)
);
-- The sweep that starts scheduled scans, over all accounts.
create index target_due on target (next_scan_at) where deleted_at is null;
-- Sort orders of the target list; newest first uses the primary key.
create index target_by_name on target (account_id, lower(name), id) where deleted_at is null;
create index target_by_last_scan on target (account_id, last_scan_at desc nulls last, id) where deleted_at is null;
create index target_of_agent on target (account_id, agent_id) where agent_id is not null;
select enable_tenancy('target', 'select, insert, update, delete');

create table tag (
  account_id uuid not null references account (id) on delete cascade,
  id uuid not null,
  name text not null check (char_length(name) between 1 and 40),
  color smallint not null check (color between 0 and 9),
  primary key (account_id, id)
);
create unique index tag_name on tag (account_id, lower(name));
select enable_tenancy('tag', 'select, insert, update, delete');

create table target_tag (
  account_id uuid not null,
  target_id uuid not null,
  tag_id uuid not null,
  primary key (account_id, target_id, tag_id),
  foreign key (account_id, target_id) references target (account_id, id) on delete cascade,
  foreign key (account_id, tag_id) references tag (account_id, id) on delete cascade
);
select enable_tenancy('target_tag', 'select, insert, delete');
