create table scan (
  account_id uuid not null,
  id uuid not null,
  target_id uuid not null,
  type text not null check (type in ('TYPE_UNSPECIFIED', 'TYPE_AUTOMATIC', 'TYPE_MANUAL', 'TYPE_EMERGING')),
  status text not null check (status in ('STATUS_CREATED', 'STATUS_RUNNING', 'STATUS_COMPLETED', 'STATUS_CANCELLED', 'STATUS_FAILED')),
  phase text not null,
  reason text not null default '',
  -- A retest checks one issue: it runs only these checks and changes no other issue.
  retest_of uuid,
  -- The checks that confirm the issue, or 'version' if it was inferred from a version.
  checks text[],
  -- Kept as history when the agent is deleted, so no foreign key.
  agent_id uuid,
  agent_name text not null default '',
  -- Set while it waits for the allowed hours of its target.
  resume_at timestamptz,
  ignores_hours boolean not null default false,
  hosts_total integer not null default 0,
  hosts_done integer not null default 0,
  excluded_hosts integer not null default 0,
  scanned_hosts integer not null default 0,
  affected_hosts integer not null default 0,
  critical integer not null default 0,
  high integer not null default 0,
  medium integer not null default 0,
  low integer not null default 0,
  new_count integer not null default 0,
  resolved_count integer not null default 0,
  regressive_count integer not null default 0,
  started_by text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  last_activity_at timestamptz,
  updated_at timestamptz not null,
  primary key (account_id, id),
  foreign key (account_id, target_id) references target (account_id, id) on delete cascade
);
-- At most one active scan per target.
create unique index scan_active on scan (account_id, target_id)
  where status in ('STATUS_CREATED', 'STATUS_RUNNING');
create index scan_of_target on scan (account_id, target_id, id desc);
-- Scans over time, of an account or of one of its targets.
create index scan_completed on scan (account_id, completed_at) include (target_id)
  where status = 'STATUS_COMPLETED' and retest_of is null;
create index scan_of_agent on scan (account_id, agent_id)
  where agent_id is not null and status in ('STATUS_CREATED', 'STATUS_RUNNING');
-- The sweep that resumes waiting scans, over all accounts.
create index scan_resume on scan (resume_at) where resume_at is not null;
select enable_tenancy('scan', 'select, insert, update, delete');

create table scan_batch (
  account_id uuid not null,
  scan_id uuid not null,
  number integer not null,
  hosts jsonb not null,
  state text not null check (state in ('WAITING', 'QUEUED', 'DONE')),
  attempt integer not null default 0,
  hosts_done integer not null default 0,
  primary key (account_id, scan_id, number),
  foreign key (account_id, scan_id) references scan (account_id, id) on delete cascade
);
select enable_tenancy('scan_batch', 'select, insert, update, delete');

-- A batch leased to an agent.
create table scan_lease (
  account_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  scan_id uuid not null,
  number integer not null,
  state text not null
    check (state in ('STATE_RUNNING', 'STATE_DONE', 'STATE_RETURNED', 'STATE_LOST', 'STATE_CANCELLED', 'STATE_FAILED')),
  expires_at timestamptz not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  error text not null default '',
  result_bytes integer not null default 0,
  primary key (account_id, id),
  foreign key (account_id, scan_id, number) references scan_batch (account_id, scan_id, number) on delete cascade
);
-- At most one lease holder per batch.
create unique index scan_lease_held on scan_lease (account_id, scan_id, number) where state = 'STATE_RUNNING';
create index scan_lease_of_agent on scan_lease (account_id, agent_id, id desc);
-- The sweep that revokes expired leases, over all accounts.
create index scan_lease_expiry on scan_lease (expires_at) where state = 'STATE_RUNNING';
select enable_tenancy('scan_lease', 'select, insert, update, delete');

-- Parts of a result that arrived before its last part. Text, because banners of hostile hosts can contain a NUL.
create table scan_lease_part (
  account_id uuid not null,
  lease_id uuid not null,
  part integer not null,
  observations text not null,
  primary key (account_id, lease_id, part),
  foreign key (account_id, lease_id) references scan_lease (account_id, id) on delete cascade
);
select enable_tenancy('scan_lease_part', 'select, insert, delete');

create table scan_host (
  account_id uuid not null,
  scan_id uuid not null,
  address text not null,
  host_id uuid,
  reached boolean not null,
  reason text not null,
  -- Checks that exceeded a budget or were ended by the watchdog: [{port?, check, reason}].
  stopped jsonb not null default '[]',
  primary key (account_id, scan_id, address),
  foreign key (account_id, scan_id) references scan (account_id, id) on delete cascade
);
-- The addresses of a scan in numeric order.
create index scan_host_in_order on scan_host (account_id, scan_id, (address::inet));
select enable_tenancy('scan_host', 'select, insert, update, delete');

create table scan_event (
  account_id uuid not null,
  id uuid not null,
  scan_id uuid not null,
  at timestamptz not null,
  level text not null check (level in ('LEVEL_INFO', 'LEVEL_WARN', 'LEVEL_ERROR')),
  message text not null,
  primary key (account_id, id),
  foreign key (account_id, scan_id) references scan (account_id, id) on delete cascade
);
create index scan_event_of_scan on scan_event (account_id, scan_id, id);
select enable_tenancy('scan_event', 'select, insert, delete');
