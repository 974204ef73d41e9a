import { type Kysely, sql } from 'kysely'

/** What happened and who is told: an outbox written with the change itself, channels, deliveries, API tokens. */
export const name = '0008-notifications'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table event (
      account_id uuid not null references account (id) on delete cascade,
      id bigint generated always as identity,
      -- The transaction that wrote it: readers stop before the oldest one that is still running,
      -- so a late commit is never skipped.
      xid xid8 not null default pg_current_xact_id(),
      at timestamptz not null,
      kind text not null,
      title text not null,
      -- CVSS score where it concerns a risk.
      score numeric(3, 1),
      resource_kind text not null,
      resource_id text not null,
      -- Targets that it concerns; null: the whole account.
      target_ids uuid[],
      primary key (account_id, id)
    )`.execute(db)
  await sql`create index event_order on event (account_id, xid, id)`.execute(db)
  await sql`create index event_at on event (account_id, at)`.execute(db)
  await sql`select fence('event', 'select, insert, delete')`.execute(db)

  await sql`
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
      -- Events of transactions before this one have been taken up.
      taken_until xid8 not null default pg_current_xact_id(),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (account_id, id)
    )`.execute(db)
  await sql`select fence('channel', 'select, insert, update, delete')`.execute(db)

  await sql`
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
    )`.execute(db)
  await sql`create index delivery_of_channel on delivery (account_id, channel_id, id desc)`.execute(db)
  await sql`select fence('delivery', 'select, insert, update, delete')`.execute(db)

  await sql`
    create table api_token (
      account_id uuid not null references account (id) on delete cascade,
      id uuid not null,
      name text not null,
      scopes text[] not null,
      prefix text not null,
      -- SHA-256 of the token, which has 256 random bits of its own.
      digest bytea not null unique,
      created_by text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      last_used_at timestamptz,
      primary key (account_id, id)
    )`.execute(db)
  await sql`select fence('api_token', 'select, insert, delete')`.execute(db)
  await sql`create index audit_event_at on audit_event (account_id, at desc, id desc)`.execute(db)
}
