import { type Kysely, sql } from 'kysely'

export const name = '0007-agents'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table agent (
      account_id uuid not null references account (id) on delete cascade,
      id uuid not null,
      name text not null check (char_length(name) between 1 and 128),
      version text not null default '',
      system text not null default '',
      hostname text not null default '',
      networks jsonb not null default '[]',
      latency_ms integer,
      -- How far its clock is ahead of ours; negative when it is behind.
      clock_ahead_ms integer not null default 0,
      -- The connection that lasts now; null when it said good-bye or was never here.
      connection_id uuid,
      -- The process that connected last.
      instance_id uuid,
      last_seen_at timestamptz,
      -- It went away, and nobody has been told yet: one that is only restarted is not worth it.
      is_notice_due boolean not null default false,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (account_id, id)
    )`.execute(db)
  // The sweep that notices silence, over all accounts.
  await sql`create index agent_connected on agent (last_seen_at) where connection_id is not null`.execute(db)
  await sql`create index agent_notice on agent (last_seen_at) where is_notice_due`.execute(db)
  await sql`select fence('agent', 'select, insert, update, delete')`.execute(db)

  // Secrets are found by their digest before the account is known, so the digest alone is the key.
  await sql`
    create table agent_key (
      account_id uuid not null,
      agent_id uuid not null,
      digest bytea primary key,
      kind text not null check (kind in ('TOKEN', 'KEY')),
      expires_at timestamptz,
      created_at timestamptz not null,
      foreign key (account_id, agent_id) references agent (account_id, id) on delete cascade
    )`.execute(db)
  await sql`create index agent_key_of_agent on agent_key (account_id, agent_id)`.execute(db)
  await sql`select fence('agent_key', 'select, insert, update, delete')`.execute(db)

  await sql`
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
    )`.execute(db)
  await sql`create index agent_connection_of_agent on agent_connection (account_id, agent_id, id desc)`.execute(db)
  await sql`select fence('agent_connection', 'select, insert, update, delete')`.execute(db)

  await sql`
    alter table target
      add column agent_id uuid,
      -- Name of the deleted agent whose place nobody has taken: the target is not scanned until then.
      add column former_agent text,
      add foreign key (account_id, agent_id) references agent (account_id, id)`.execute(db)
  await sql`create index target_of_agent on target (account_id, agent_id) where agent_id is not null`.execute(db)
  // Kept as history when the agent is gone, so it refers to nothing.
  await sql`alter table scan add column agent_id uuid, add column agent_name text not null default ''`.execute(db)
  await sql`
    create index scan_of_agent on scan (account_id, agent_id)
    where agent_id is not null and status in ('STATUS_CREATED', 'STATUS_RUNNING')`.execute(db)

  // A batch in the hands of an agent.
  await sql`
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
    )`.execute(db)
  // One holder of a batch at a time, whoever asks.
  await sql`
    create unique index scan_lease_held on scan_lease (account_id, scan_id, number)
    where state = 'STATE_RUNNING'`.execute(db)
  await sql`create index scan_lease_of_agent on scan_lease (account_id, agent_id, id desc)`.execute(db)
  // The sweep that takes batches back, over all accounts.
  await sql`create index scan_lease_expiry on scan_lease (expires_at) where state = 'STATE_RUNNING'`.execute(db)
  await sql`select fence('scan_lease', 'select, insert, update, delete')`.execute(db)

  // What came of a result before its last part. Text, because what hostile hosts said may hold a NUL.
  await sql`
    create table scan_lease_part (
      account_id uuid not null,
      lease_id uuid not null,
      part integer not null,
      observations text not null,
      primary key (account_id, lease_id, part),
      foreign key (account_id, lease_id) references scan_lease (account_id, id) on delete cascade
    )`.execute(db)
  await sql`select fence('scan_lease_part', 'select, insert, delete')`.execute(db)
}
