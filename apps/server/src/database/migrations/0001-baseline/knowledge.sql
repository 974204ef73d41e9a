-- Public knowledge from packs and feeds, shared by all accounts. The application's role can only read it.
-- Each group of fields of a threat comes from the source with the highest rank for it.
create table threat (
  id uuid primary key,
  -- The CVE if there is one, otherwise the id of the check that detects it.
  key text not null unique,
  kind text not null check (kind in ('check', 'cve', 'lifecycle')),
  name text not null,
  summary text not null,
  impact text not null,
  affected text not null,
  insight text not null,
  cvss text not null,
  score numeric(3, 1) not null check (score between 0 and 10),
  category text not null,
  solution_kind text not null,
  solution text not null,
  refs jsonb not null,
  epss_score real,
  epss_percentile real,
  known_exploited_at timestamptz,
  -- The record as the matcher reads it; null for threats that only a check can detect.
  record jsonb,
  -- Digest of the last record by source, so that unchanged records are skipped.
  digests jsonb not null default '{}',
  -- Rank of the source of texts, criteria, and severity; a higher rank replaces them.
  words_rank smallint not null default 0,
  criteria_rank smallint not null default 0,
  severity_rank smallint not null default 0,
  -- When the source of the criteria last changed its record; an older record never replaces it.
  modified_at timestamptz,
  published_at timestamptz,
  -- Doesn't apply before this time: the day on which support ends.
  effective_at timestamptz,
  updated_at timestamptz not null default now()
);
-- Faster to write and half the size, if the server was built with LZ4.
do $$ begin
  alter table threat alter column record set compression lz4;
exception when others then null;
end $$;
create index threat_due on threat (effective_at) where effective_at is not null;

create table threat_product (
  vendor text not null,
  product text not null,
  threat_id uuid not null references threat (id) on delete cascade,
  -- The record's criteria for this product in the matcher's packed format, so that the rest of the record isn't read.
  -- Null if they weren't packed yet; then the whole record is read.
  criteria text,
  primary key (vendor, product, threat_id)
);
create index threat_product_threat on threat_product (threat_id);

-- KEV and EPSS data of a CVE, including CVEs without a threat record.
create table exploitation (
  key text primary key,
  epss_score real,
  epss_percentile real,
  known_exploited_at timestamptz
);

-- Threats that changed and weren't matched against the inventories yet.
-- A threat that changes again while it is matched gets a new turn, so that no change is missed.
create table threat_change (
  threat_id uuid primary key references threat (id) on delete cascade,
  turn bigserial
);

-- Fixed versions of distribution packages. A later statement of the same origin replaces the earlier one, and a
-- withdrawn advisory removes only its own statement.
create table distribution_fix (
  key text not null,
  product text not null,
  -- Such as 'debian:12'; empty if only the version counts.
  release text not null,
  fixed_version text not null,
  -- The source package or advisory.
  origin text not null,
  primary key (key, product, release, origin)
);

create table release_cycle (
  vendor text not null,
  product text not null,
  cycle text not null,
  name text not null,
  -- Null if unknown.
  ends_on date,
  is_over boolean not null,
  latest text not null,
  primary key (vendor, product, cycle)
);

create table software (
  part text not null,
  vendor text not null,
  product text not null,
  title text not null,
  -- Number of threats that name it, for ranking search results.
  threats integer not null default 0,
  search text generated always as (lower(title || ' ' || vendor || ' ' || product)) stored,
  primary key (vendor, product, part)
);
-- Search as you type; slower without the extension.
do $$ begin
  create extension if not exists pg_trgm;
  create index software_search on software using gin (search gin_trgm_ops);
exception when others then null;
end $$;
-- Two letters occur in about every second name; reading in result order finds enough matches quickly.
create index software_by_weight
  on software (threats desc, octet_length(title), vendor collate "C", product collate "C");
-- Exact matches come first.
create index software_product on software (product);
create index software_title on software (lower(title));

create table pack (
  name text primary key,
  version text not null,
  records integer not null,
  skipped integer not null,
  state text not null,
  -- The last error message; empty after success.
  problem text not null default '',
  -- The current progress message; empty when idle.
  progress text not null default '',
  -- Position of an interrupted import; null if it completed.
  cursor jsonb,
  -- Validators of the last response, for conditional requests.
  validators jsonb not null default '{}',
  failures integer not null default 0,
  checked_at timestamptz,
  next_at timestamptz,
  updated_at timestamptz not null
);
grant select on threat, threat_product, exploitation, distribution_fix, release_cycle, software, pack to glacis_app;
