import { type Kysely, sql } from 'kysely'

/**
 * Decisions are written for issues that are locked meanwhile: to look each of them up again took half of the time. They
 * go with their account, as history does.
 */
export const name = '0022-lighter-decisions'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table issue_decision drop constraint issue_decision_account_id_issue_id_fkey`.execute(db)
  await sql`
    create or replace function forget_history() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      delete from issue_event where account_id in (select id from gone);
      delete from issue_decision where account_id in (select id from gone);
      return null;
    end $$`.execute(db)
}
