import { type Kysely, sql } from 'kysely'

/** Owners of targets, tags that represent teams, and emails to both. */
export async function addTeams(db: Kysely<unknown>): Promise<void> {
  // Identity IDs of members; null for an ordinary tag.
  await sql`alter table tag add column team text[]`.execute(db)
  await sql`alter table target add column owner_id text`.execute(db)
  await sql`
    alter table channel add column recipients text not null default 'RECIPIENTS_WORKSPACE'
      check (recipients in ('RECIPIENTS_WORKSPACE', 'RECIPIENTS_TEAMS'))`.execute(db)
  // Null for the address of the workspace.
  await sql`alter table delivery add column recipient text`.execute(db)
}
