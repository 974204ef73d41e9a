import { type Kysely, sql } from 'kysely'

/** When and how targets are scanned, what scans wait for, and what people say of hosts. */
export const name = '0010-schedules'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table target
      -- The contract's AllowedHours; null: at any time.
      add column allowed_hours jsonb,
      add column exclusions text[] not null default '{}',
      add column profile text not null default 'gentle' check (profile in ('gentle', 'standard', 'deep')),
      add column ports text not null default '',
      add column rate_per_host integer check (rate_per_host between 1 and 1000),
      add column paused_at timestamptz,
      add column unresolved_since timestamptz,
      add column last_scan_at timestamptz`.execute(db)
  await sql`
    update target set last_scan_at = (
      select max(created_at) from scan where scan.account_id = target.account_id and scan.target_id = target.id)`.execute(
    db,
  )
  // The orders of the list of targets, beside the newest first of the primary key.
  await sql`create index target_by_name on target (account_id, lower(name), id) where deleted_at is null`.execute(db)
  await sql`
    create index target_by_last_scan on target (account_id, last_scan_at desc nulls last, id)
    where deleted_at is null`.execute(db)

  await sql`
    alter table scan
      -- Set while it waits for the allowed hours of its target.
      add column resume_at timestamptz,
      add column ignores_hours boolean not null default false,
      add column excluded_hosts integer not null default 0`.execute(db)
  // The sweep that lets waiting scans go on, over all accounts.
  await sql`create index scan_resume on scan (resume_at) where resume_at is not null`.execute(db)
  // The addresses of a scan, in numeric order.
  await sql`create index scan_host_in_order on scan_host (account_id, scan_id, (address::inet))`.execute(db)

  await sql`
    alter table host
      add column owner text not null default '',
      add column criticality text not null default 'CRITICALITY_NORMAL'
        check (criticality in ('CRITICALITY_LOW', 'CRITICALITY_NORMAL', 'CRITICALITY_HIGH')),
      add column notes text not null default '',
      -- The host that this one is, under another address.
      add column merged_into uuid,
      add foreign key (account_id, merged_into) references host (account_id, id) on delete set null (merged_into)`.execute(
    db,
  )
  await sql`create index host_merged on host (account_id, merged_into) where merged_into is not null`.execute(db)
  await sql`create index host_by_address on host (account_id, (address::inet), id)`.execute(db)
  await sql`create index host_by_check on host (account_id, last_checked_at, id)`.execute(db)
  await sql`create index host_by_first_seen on host (account_id, first_seen_at, id)`.execute(db)
  // The hosts with a port open.
  await sql`create index service_by_port on service (account_id, port, host_id) where gone_at is null`.execute(db)
  // Null: no TLS, or not seen since certificates are kept.
  await sql`alter table service add column certificate jsonb`.execute(db)

  await sql`
    create table idempotency_key (
      account_id uuid not null references account (id) on delete cascade,
      key text not null,
      -- Method and path, and a digest of what was sent with them.
      call text not null,
      digest text not null,
      answer jsonb not null,
      created_at timestamptz not null,
      primary key (account_id, key)
    )`.execute(db)
  await sql`create index idempotency_key_age on idempotency_key (account_id, created_at)`.execute(db)
  await sql`select fence('idempotency_key', 'select, insert, update, delete')`.execute(db)
}
