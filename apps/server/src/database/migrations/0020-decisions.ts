import { type Kysely, sql } from 'kysely'

/** What was decided about an issue as a whole and has not reached all of its places yet; see the issues room. */
export const name = '0020-decisions'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table issue_decision (
      account_id uuid not null,
      issue_id uuid not null,
      status text not null check (status in ('STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED')),
      ignore_until timestamptz,
      ignore_reason text not null,
      ignore_comment text not null,
      -- Who decided, when, and as the history tells it.
      actor text not null,
      at timestamptz not null,
      reason text not null,
      primary key (account_id, issue_id),
      foreign key (account_id, issue_id) references issue (account_id, id) on delete cascade
    )`.execute(db)
  await sql`select fence('issue_decision', 'select, insert, update, delete')`.execute(db)
}
