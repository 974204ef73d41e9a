-- The order of statuses from worst to best, the same as `worstFirst` in issues/status.ts.
create function status_rank(status text) returns integer language sql immutable as $$
  select array_position('{STATUS_REGRESSION,STATUS_OPEN,STATUS_IGNORED,STATUS_RESOLVED}'::text[], status)
$$;
create function status_of(rank integer) returns text language sql immutable as $$
  select ('{STATUS_REGRESSION,STATUS_OPEN,STATUS_IGNORED,STATUS_RESOLVED}'::text[])[rank]
$$;

create table issue (
  account_id uuid not null references account (id) on delete cascade,
  id uuid not null,
  threat_id uuid not null references threat (id),
  status text not null check (status in ('STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED', 'STATUS_REGRESSION')),
  verification text not null check (verification in ('VERIFICATION_VERIFIED', 'VERIFICATION_UNVERIFIED')),
  quality smallint not null,
  priority smallint not null,
  -- What the priority depends on besides the threat: internet exposure, and the highest criticality of its hosts
  -- (0 low, 1 normal, 2 high).
  is_reachable boolean not null default true,
  weight smallint not null default 1,
  -- Copied from the threat for sorting and search; the title is its name and key in lower case.
  score numeric(3, 1) not null,
  category text not null,
  epss real not null default 0,
  title text not null default '',
  host_count integer not null default 0,
  assignee_id text,
  due_at timestamptz,
  ignored_at timestamptz,
  ignore_until timestamptz,
  ignore_reason text not null default ''
    check (ignore_reason in ('', 'REASON_ACCEPTED_RISK', 'REASON_FALSE_POSITIVE', 'REASON_MITIGATED')),
  ignore_comment text not null default '',
  ignored_by text not null default '',
  resolved_at timestamptz,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id),
  unique (account_id, threat_id)
);
-- Sort orders of the issue list, per verification. Issues of the same batch have equal times, so the priority comes
-- next.
create index issue_by_priority on issue (account_id, verification, priority desc, id desc);
create index issue_by_recency on issue (account_id, verification, last_seen_at desc, priority desc, id desc);
create index issue_by_score on issue (account_id, verification, score desc, id desc);
create index issue_by_epss on issue (account_id, verification, epss desc, id desc);
create index issue_by_hosts on issue (account_id, verification, host_count desc, id desc);
create index issue_by_age on issue (account_id, verification, first_seen_at, id);
-- The list of both verifications.
create index issue_by_recency_of_all on issue (account_id, last_seen_at desc, priority desc, id desc);
create index issue_by_priority_of_all on issue (account_id, priority desc, id desc);
-- The current point of the charts.
create index issue_standing on issue (account_id, status, verification, category);
-- Severities of each product's issues, for the product list.
create index issue_rated on issue (account_id, id) include (category);
-- Finds the issues of a changed threat, over all accounts.
create index issue_threat on issue (threat_id);
select enable_tenancy('issue', 'select, insert, update, delete');

create table occurrence (
  account_id uuid not null,
  id uuid not null,
  issue_id uuid not null,
  host_id uuid not null,
  target_id uuid not null,
  -- Port and path class, as reported by the scanner.
  location text not null,
  port integer,
  -- The check that detected it, or 'version'.
  method text not null,
  -- The product that causes it, if there is exactly one.
  product_id uuid,
  status text not null check (status in ('STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED', 'STATUS_REGRESSION')),
  quality smallint not null check (quality between 0 and 100),
  -- The evidence in the contract's format, without times.
  evidence jsonb not null,
  -- Equal keys mean equal evidence.
  evidence_key text not null,
  decided_by text not null check (decided_by in ('scan', 'person')),
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  not_checked_since timestamptz,
  resolved_at timestamptz,
  ignored_at timestamptz,
  ignore_until timestamptz,
  ignore_reason text not null default ''
    check (ignore_reason in ('', 'REASON_ACCEPTED_RISK', 'REASON_FALSE_POSITIVE', 'REASON_MITIGATED')),
  ignore_comment text not null default '',
  ignored_by text not null default '',
  primary key (account_id, id),
  unique (account_id, issue_id, host_id, location, method),
  foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade,
  foreign key (account_id, host_id) references host (account_id, id) on delete cascade
);
create index occurrence_of_host on occurrence (account_id, host_id);
-- Finds the issues of a target, and the hosts of an issue within a target.
create index occurrence_of_target_issue on occurrence (account_id, target_id, issue_id);
-- Finds the worst hosts of an issue.
create index occurrence_worst on occurrence (account_id, issue_id, status, host_id);
-- Finds the issues of a product, and the products with issues.
create index occurrence_of_product on occurrence (account_id, product_id, status, issue_id)
  where product_id is not null;
-- For the sweep that reopens issues whose ignore period has ended, over all accounts.
create index occurrence_ignore_until on occurrence (ignore_until) where ignore_until is not null;
select enable_tenancy('occurrence', 'select, insert, update, delete');

-- The history of issues.
create table issue_event (
  account_id uuid not null,
  id uuid not null,
  issue_id uuid not null,
  -- Null for the issue as a whole.
  host_id uuid,
  target_id uuid,
  status text not null check (status in ('STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED', 'STATUS_REGRESSION')),
  verification text not null,
  at timestamptz not null,
  actor text not null,
  reason text not null default '',
  scan_id uuid,
  primary key (account_id, id),
  foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade,
  foreign key (account_id, host_id) references host (account_id, id) on delete cascade
);
-- The history of an issue, as a whole and on one host.
create index issue_event_of_issue on issue_event (account_id, issue_id, host_id, at desc);
-- The history of a host.
create index issue_event_of_host on issue_event (account_id, host_id, at) where host_id is not null;
select enable_tenancy('issue_event', 'select, insert, delete');

-- Decisions that are not applied to all occurrences yet; see issues/pending-decisions.ts.
create table issue_decision (
  account_id uuid not null,
  issue_id uuid not null,
  status text not null check (status in ('STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED')),
  ignore_until timestamptz,
  ignore_reason text not null,
  ignore_comment text not null,
  -- Actor, time, and the reason shown in the history.
  actor text not null,
  at timestamptz not null,
  reason text not null,
  primary key (account_id, issue_id),
  foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade
);
select enable_tenancy('issue_decision', 'select, insert, update, delete');

create table issue_comment (
  account_id uuid not null,
  id uuid not null,
  issue_id uuid not null,
  text text not null check (char_length(text) between 1 and 4000),
  actor text not null,
  created_at timestamptz not null,
  primary key (account_id, id),
  foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade
);
create index issue_comment_of_issue on issue_comment (account_id, issue_id, id desc);
select enable_tenancy('issue_comment', 'select, insert, delete');

create table issue_tag (
  account_id uuid not null,
  issue_id uuid not null,
  tag_id uuid not null,
  primary key (account_id, issue_id, tag_id),
  foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade,
  foreign key (account_id, tag_id) references tag (account_id, id) on delete cascade
);
-- Finds the issues with a tag, for the tag filter and for deleting tags.
create index issue_tag_of_tag on issue_tag (account_id, tag_id, issue_id);
select enable_tenancy('issue_tag', 'select, insert, delete');

-- The changes by a scan.
create table scan_issue (
  account_id uuid not null,
  scan_id uuid not null,
  issue_id uuid not null,
  host_id uuid not null,
  change text not null check (change in ('NEW', 'SEEN', 'REGRESSION', 'RESOLVED')),
  primary key (account_id, scan_id, issue_id, host_id),
  foreign key (account_id, scan_id) references scan (account_id, id) on delete cascade,
  foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade
);
select enable_tenancy('scan_issue', 'select, insert, update, delete');

-- Emerging threats. Each is written and announced once.
create table emergence (
  account_id uuid not null references account (id) on delete cascade,
  id uuid not null,
  threat_id uuid not null references threat (id) on delete cascade,
  product_id uuid not null,
  -- Null if the product is watched but not installed.
  issue_id uuid,
  host_count integer not null,
  at timestamptz not null,
  primary key (account_id, id),
  unique (account_id, threat_id, product_id),
  foreign key (account_id, product_id) references product (account_id, id) on delete cascade
);
select enable_tenancy('emergence', 'select, insert');

-- Rollups, so that lists and charts don't count occurrences.
create table issue_target (
  account_id uuid not null,
  target_id uuid not null,
  issue_id uuid not null,
  -- The worst status of its hosts in the target: overall, among verified and among potential occurrences.
  status text not null,
  verified_status text,
  potential_status text,
  category text not null,
  primary key (account_id, target_id, issue_id),
  foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade
);
create index issue_target_of_issue on issue_target (account_id, issue_id);
-- The active issues of a target by severity.
create index issue_target_active on issue_target (account_id, target_id, category)
  where status in ('STATUS_OPEN', 'STATUS_REGRESSION');
select enable_tenancy('issue_target', 'select, insert, update, delete');

-- Active issues of a host by severity and by verification.
create table host_count (
  account_id uuid not null,
  host_id uuid not null,
  target_id uuid not null,
  critical integer not null default 0,
  high integer not null default 0,
  medium integer not null default 0,
  low integer not null default 0,
  verified integer not null default 0,
  potential integer not null default 0,
  primary key (account_id, host_id),
  foreign key (account_id, host_id) references host (account_id, id) on delete cascade
);
-- The affected hosts of a target.
create index host_count_affected on host_count (account_id, target_id) where verified + potential > 0;
select enable_tenancy('host_count', 'select, insert, update, delete');

-- Active issues of a target by severity, and its hosts with active, verified, and potential issues.
create table target_count (
  account_id uuid not null,
  target_id uuid not null,
  critical integer not null default 0,
  high integer not null default 0,
  medium integer not null default 0,
  low integer not null default 0,
  hosts integer not null default 0,
  hosts_verified integer not null default 0,
  hosts_potential integer not null default 0,
  primary key (account_id, target_id),
  foreign key (account_id, target_id) references target (account_id, id) on delete cascade
);
select enable_tenancy('target_count', 'select, insert, update, delete');

-- Daily snapshots for charts; a closed day is never changed.
create table stats_day (
  account_id uuid not null references account (id) on delete cascade,
  -- All zeros for the whole account, which has a row for every day. A target has rows only for days with changes.
  target_id uuid not null,
  -- In the account's time zone when the day was closed.
  day date not null,
  closed_at timestamptz not null,
  -- Three blocks of ten: all, verified, potential; see stats/slots.ts.
  counts integer[] not null check (cardinality(counts) = 30),
  primary key (account_id, target_id, day)
);
select enable_tenancy('stats_day', 'select, insert');
