import { type Kysely, sql } from 'kysely'

/** What is known of the world. It belongs to no account; the application reads it, the packs room writes it. */
export const name = '0003-knowledge'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table threat (
      id uuid primary key,
      -- The CVE where there is one, else the id of the check that proves it.
      key text not null unique,
      kind text not null check (kind in ('check', 'cve')),
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
      -- The record as the matcher reads it; null for what only a check can prove.
      record jsonb,
      digest text not null,
      updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table threat_product (
      vendor text not null,
      product text not null,
      threat_id uuid not null references threat (id) on delete cascade,
      primary key (vendor, product, threat_id)
    )`.execute(db)
  await sql`create index threat_product_threat on threat_product (threat_id)`.execute(db)
  await sql`
    create table pack (
      name text primary key,
      version text not null,
      records integer not null,
      skipped integer not null,
      state text not null,
      updated_at timestamptz not null
    )`.execute(db)
  await sql`grant select on threat, threat_product, pack to glacis_app`.execute(db)
}
