import { type Kysely, sql } from 'kysely'

/** Who is responsible for an agent, and limits of its access. */
export async function addAgentLimits(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table agent
      -- Null for agents from before this migration, and for those that the system created.
      add column created_by text,
      add column created_by_id text,
      add column expires_at timestamptz,
      add column allowed_networks text[] not null default '{}'`.execute(db)
}
