import { type Kysely, sql } from 'kysely'

export const name = '0006-issues'
export async function up(db: Kysely<unknown>): Promise<void> {
  const status = sql`check (status in ('STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED', 'STATUS_REGRESSION'))`
  await sql`
    create table issue (
      account_id uuid not null references account (id) on delete cascade,
      id uuid not null,
      threat_id uuid not null references threat (id),
      status text not null ${status},
      verification text not null check (verification in ('VERIFICATION_VERIFIED', 'VERIFICATION_UNVERIFIED')),
      quality smallint not null,
      priority smallint not null,
      score numeric(3, 1) not null,
      category text not null,
      host_count integer not null default 0,
      first_seen_at timestamptz not null,
      last_seen_at timestamptz not null,
      ignored_at timestamptz,
      ignore_until timestamptz,
      resolved_at timestamptz,
      updated_at timestamptz not null,
      primary key (account_id, id),
      unique (account_id, threat_id)
    )`.execute(db)
  // The three orders of the risk list, each within one verification.
  await sql`create index issue_by_priority on issue (account_id, verification, priority desc, id desc)`.execute(db)
  await sql`create index issue_by_recency on issue (account_id, verification, last_seen_at desc, id desc)`.execute(db)
  await sql`create index issue_by_score on issue (account_id, verification, score desc, id desc)`.execute(db)
  // The sweep that reopens what was ignored until a date, over all accounts.
  await sql`create index issue_ignore_until on issue (ignore_until) where ignore_until is not null`.execute(db)
  await sql`select fence('issue', 'select, insert, update, delete')`.execute(db)

  await sql`
    create table occurrence (
      account_id uuid not null,
      id uuid not null,
      issue_id uuid not null,
      host_id uuid not null,
      target_id uuid not null,
      -- Port and path class, as the scanner names it.
      location text not null,
      port integer,
      -- The check that proves it, or 'version'.
      method text not null,
      status text not null ${status},
      quality smallint not null check (quality between 0 and 100),
      -- The proof, as the contract's Evidence without time.
      evidence jsonb not null,
      -- Equal keys mean equal evidence.
      evidence_key text not null,
      decided_by text not null check (decided_by in ('scan', 'person')),
      first_seen_at timestamptz not null,
      last_seen_at timestamptz not null,
      ignored_at timestamptz,
      resolved_at timestamptz,
      not_checked_since timestamptz,
      primary key (account_id, id),
      unique (account_id, issue_id, host_id, location, method),
      foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade,
      foreign key (account_id, host_id) references host (account_id, id) on delete cascade
    )`.execute(db)
  await sql`create index occurrence_of_host on occurrence (account_id, host_id)`.execute(db)
  await sql`create index occurrence_of_target on occurrence (account_id, target_id)`.execute(db)
  await sql`select fence('occurrence', 'select, insert, update, delete')`.execute(db)

  await sql`
    create table issue_event (
      account_id uuid not null,
      id uuid not null,
      issue_id uuid not null,
      -- Null: the issue as a whole; else what it became on that host.
      host_id uuid,
      target_id uuid,
      status text not null ${status},
      verification text not null,
      at timestamptz not null,
      actor text not null,
      reason text not null default '',
      scan_id uuid,
      primary key (account_id, id),
      foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade,
      foreign key (account_id, host_id) references host (account_id, id) on delete cascade
    )`.execute(db)
  // Where an issue, or a host of it, stood on a day.
  await sql`create index issue_event_of_issue on issue_event (account_id, issue_id, host_id, at desc)`.execute(db)
  await sql`create index issue_event_at on issue_event (account_id, at)`.execute(db)
  await sql`select fence('issue_event', 'select, insert, delete')`.execute(db)

  await sql`
    create table scan_issue (
      account_id uuid not null,
      scan_id uuid not null,
      issue_id uuid not null,
      host_id uuid not null,
      change text not null check (change in ('NEW', 'SEEN', 'REGRESSION', 'RESOLVED')),
      primary key (account_id, scan_id, issue_id, host_id),
      foreign key (account_id, scan_id) references scan (account_id, id) on delete cascade,
      foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade
    )`.execute(db)
  await sql`select fence('scan_issue', 'select, insert, update, delete')`.execute(db)
}
