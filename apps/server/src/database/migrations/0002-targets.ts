import { type Kysely, sql } from 'kysely'

export const name = '0002-targets'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table target (
      account_id uuid not null references account (id) on delete cascade,
      id uuid not null,
      name text not null check (char_length(name) between 1 and 128),
      address text not null,
      kind text not null,
      schedule_period text not null check (schedule_period in ('PERIOD_DAILY', 'PERIOD_WEEKLY', 'PERIOD_MONTHLY')),
      next_scan_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      deleted_at timestamptz,
      primary key (account_id, id)
    )`.execute(db)
  // The sweep that starts scheduled scans, over all accounts.
  await sql`create index target_due on target (next_scan_at) where deleted_at is null`.execute(db)
  await sql`select fence('target', 'select, insert, update, delete')`.execute(db)

  await sql`
    create table tag (
      account_id uuid not null references account (id) on delete cascade,
      id uuid not null,
      name text not null check (char_length(name) between 1 and 40),
      color smallint not null check (color between 0 and 9),
      primary key (account_id, id)
    )`.execute(db)
  await sql`create unique index tag_name on tag (account_id, lower(name))`.execute(db)
  await sql`select fence('tag', 'select, insert, update, delete')`.execute(db)

  await sql`
    create table target_tag (
      account_id uuid not null,
      target_id uuid not null,
      tag_id uuid not null,
      primary key (account_id, target_id, tag_id),
      foreign key (account_id, target_id) references target (account_id, id) on delete cascade,
      foreign key (account_id, tag_id) references tag (account_id, id) on delete cascade
    )`.execute(db)
  await sql`select fence('target_tag', 'select, insert, delete')`.execute(db)
}
