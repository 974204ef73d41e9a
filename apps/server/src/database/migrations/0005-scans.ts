import { type Kysely, sql } from 'kysely'

export const name = '0005-scans'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scan (
      account_id uuid not null,
      id uuid not null,
      target_id uuid not null,
      type text not null check (type in ('TYPE_UNSPECIFIED', 'TYPE_AUTOMATIC', 'TYPE_MANUAL', 'TYPE_EMERGING')),
      status text not null check (status in ('STATUS_CREATED', 'STATUS_RUNNING', 'STATUS_COMPLETED', 'STATUS_CANCELLED', 'STATUS_FAILED')),
      phase text not null,
      reason text not null default '',
      hosts_total integer not null default 0,
      hosts_done integer not null default 0,
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
    )`.execute(db)
  // One active scan per target, whoever starts it.
  await sql`
    create unique index scan_active on scan (account_id, target_id)
    where status in ('STATUS_CREATED', 'STATUS_RUNNING')`.execute(db)
  await sql`create index scan_of_target on scan (account_id, target_id, id desc)`.execute(db)
  await sql`create index scan_completed on scan (account_id, completed_at) where status = 'STATUS_COMPLETED'`.execute(
    db,
  )
  await sql`select fence('scan', 'select, insert, update, delete')`.execute(db)

  await sql`
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
    )`.execute(db)
  await sql`select fence('scan_batch', 'select, insert, update, delete')`.execute(db)

  await sql`
    create table scan_host (
      account_id uuid not null,
      scan_id uuid not null,
      address text not null,
      host_id uuid,
      reached boolean not null,
      reason text not null,
      primary key (account_id, scan_id, address),
      foreign key (account_id, scan_id) references scan (account_id, id) on delete cascade
    )`.execute(db)
  await sql`select fence('scan_host', 'select, insert, update, delete')`.execute(db)

  await sql`
    create table scan_event (
      account_id uuid not null,
      id uuid not null,
      scan_id uuid not null,
      at timestamptz not null,
      level text not null check (level in ('LEVEL_INFO', 'LEVEL_WARN', 'LEVEL_ERROR')),
      message text not null,
      primary key (account_id, id),
      foreign key (account_id, scan_id) references scan (account_id, id) on delete cascade
    )`.execute(db)
  await sql`create index scan_event_of_scan on scan_event (account_id, scan_id, id)`.execute(db)
  await sql`select fence('scan_event', 'select, insert, delete')`.execute(db)
}
