import { type Kysely, sql } from 'kysely'

/**
 * History is written for every host of a decision, from rows that are locked meanwhile: to look each of them up again,
 * twice, took a fifth of the time. Issues and hosts go only with their account, and history goes with it too.
 */
export const name = '0019-history'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table issue_event
      drop constraint issue_event_account_id_issue_id_fkey,
      drop constraint issue_event_account_id_host_id_fkey`.execute(db)
  await sql`
    create function forget_history() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      delete from issue_event where account_id in (select id from gone);
      return null;
    end $$`.execute(db)
  await sql`revoke execute on function forget_history from public`.execute(db)
  await sql`
    create trigger account_takes_history after delete on account
    referencing old table as gone for each statement execute function forget_history()`.execute(db)
}
