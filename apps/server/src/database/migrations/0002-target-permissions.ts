import { type Kysely, sql } from 'kysely'

/** Kinds of intrusive checks that may run on a target; none by default. */
export async function addTargetPermissions(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table target
      add column permissions text[] not null default '{}'
        check (permissions <@ array['logins', 'writes', 'crashes'])`.execute(db)
}
