import { type Kysely, sql } from 'kysely'

/**
 * Knowledge that several feeds bring: each says what it is best at, a threat keeps the best of all.
 * Everything that a feed brings stands in tables of no account; what an account watches, in its own.
 */
export const name = '0013-knowledge'
export async function up(db: Kysely<unknown>): Promise<void> {
  await threats(db)
  await besideThreats(db)
  await dictionary(db)
  await packs(db)
  await accounts(db)
}

async function threats(db: Kysely<unknown>): Promise<void> {
  await sql`alter table threat drop constraint threat_kind_check`.execute(db)
  await sql`
    alter table threat
      add constraint threat_kind_check check (kind in ('check', 'cve', 'lifecycle')),
      drop column digest,
      -- Source → digest of what it last said, so that the same words again cost nothing.
      add column digests jsonb not null default '{}',
      -- Whose words, criteria and rating stand here; a higher rank replaces them.
      add column words_rank smallint not null default 0,
      add column criteria_rank smallint not null default 0,
      add column severity_rank smallint not null default 0,
      -- When the source of the criteria last changed its record; an older record never replaces it.
      add column modified_at timestamptz,
      add column published_at timestamptz,
      -- Not before then does it hold: the day on which support ends.
      add column effective_at timestamptz`.execute(db)
  // Fast to write, and half the size on disk, where the server was built with it.
  await sql`
    do $$ begin
      alter table threat alter column record set compression lz4;
    exception when others then null;
    end $$`.execute(db)
  await sql`create index threat_due on threat (effective_at) where effective_at is not null`.execute(db)
}

async function besideThreats(db: Kysely<unknown>): Promise<void> {
  // What KEV and EPSS say of a CVE, known to us or not.
  await sql`
    create table exploitation (
      key text primary key,
      epss_score real,
      epss_percentile real,
      known_exploited_at timestamptz
    )`.execute(db)
  // Threats that changed and were not yet held against the inventories.
  // A threat that changes again while it is being held has a new turn, so that nothing is missed.
  await sql`
    create table threat_change (
      threat_id uuid primary key references threat (id) on delete cascade,
      turn bigserial
    )`.execute(db)
  await sql`
    create table distribution_fix (
      key text not null,
      product text not null,
      -- Such as 'debian:12'; empty where only the version tells.
      release text not null,
      fixed_version text not null,
      primary key (key, product, release, fixed_version)
    )`.execute(db)
  await sql`
    create table release_cycle (
      vendor text not null,
      product text not null,
      cycle text not null,
      name text not null,
      -- Null while no end is known.
      ends_on date,
      is_over boolean not null,
      latest text not null,
      primary key (vendor, product, cycle)
    )`.execute(db)
  await sql`grant select on exploitation, distribution_fix, release_cycle to glacis_app`.execute(db)
}

async function dictionary(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table software (
      part text not null,
      vendor text not null,
      product text not null,
      title text not null,
      -- Threats that name it: what many records are about is what people look for.
      threats integer not null default 0,
      search text generated always as (lower(title || ' ' || vendor || ' ' || product)) stored,
      primary key (vendor, product, part)
    )`.execute(db)
  // The search as one types. Without the extension it works too, and takes a little longer.
  await sql`
    do $$ begin
      create extension if not exists pg_trgm;
      create index software_search on software using gin (search gin_trgm_ops);
    exception when others then null;
    end $$`.execute(db)
  await sql`grant select on software to glacis_app`.execute(db)
}

async function packs(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table pack
      -- What was last refused, in a sentence; empty when all went well.
      add column problem text not null default '',
      -- What is being done right now, in a sentence; empty when nothing is.
      add column progress text not null default '',
      -- How far a file or a paged source was read; null when it was read to its end.
      add column cursor jsonb,
      -- What makes the next request conditional: the validators of the last answer.
      add column validators jsonb not null default '{}',
      add column failures integer not null default 0,
      add column checked_at timestamptz,
      add column next_at timestamptz`.execute(db)
}

async function accounts(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table product
      -- Canonical vendor:product, as threats name it: makers rename themselves, feeds disagree.
      add column subject text not null default '',
      add column watched boolean not null default false,
      add column end_on date,
      add column is_over boolean not null default false,
      add column is_end_known boolean not null default false,
      add column latest text not null default ''`.execute(db)
  await sql`update product set subject = vendor || ':' || product`.execute(db)
  await sql`create index product_subject on product (subject)`.execute(db)
  // Which issues a changed rating touches, over all accounts.
  await sql`create index issue_threat on issue (threat_id)`.execute(db)
  // What the priority rests on, beside the threat itself.
  await sql`
    alter table issue
      add column is_reachable boolean not null default true,
      -- 0 low, 1 normal, 2 high: the host that matters most of those where it stands.
      add column weight smallint not null default 1`.execute(db)
  // An event of the world that concerns an account; who tells people of it reads it from here.
  await sql`
    create table emergence (
      account_id uuid not null references account (id) on delete cascade,
      id uuid not null,
      threat_id uuid not null references threat (id) on delete cascade,
      product_id uuid not null,
      -- Null where the product is watched and seen on no host.
      issue_id uuid,
      host_count integer not null,
      at timestamptz not null,
      primary key (account_id, id),
      unique (account_id, threat_id, product_id),
      foreign key (account_id, product_id) references product (account_id, id) on delete cascade
    )`.execute(db)
  await sql`select fence('emergence', 'select, insert')`.execute(db)
}
