/** Settings of database sessions. A connection pooler accepts none from its clients, so they are stored in the database. */
import { type Kysely, sql } from 'kysely'

export async function storeSessionDefaults<T>(owner: Kysely<T>): Promise<void> {
  await sql`
    do $$
    declare name text := current_database();
    begin
      if current_setting('TimeZone') = 'UTC' and current_setting('jit') = 'off' then return; end if;
      -- Processes that start at the same time must not change the row together.
      perform pg_advisory_xact_lock(hashtextextended('session defaults', 0));
      execute format('alter role current_user in database %I set timezone to %L', name, 'UTC');
      execute format('alter role current_user in database %I set jit to off', name);
    end $$`.execute(owner)
}
