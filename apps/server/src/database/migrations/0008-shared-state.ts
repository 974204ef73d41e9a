import { type Kysely, sql } from 'kysely'

/** State that the processes of an installation share. */
export async function createSharedState(db: Kysely<unknown>): Promise<void> {
  // Downloaded templates and fingerprints. A set is replaced as a whole.
  await sql`
    create table pack_set (
      kind text primary key check (kind in ('template', 'fingerprints')),
      -- SHA-256 of the uncompressed set.
      digest text not null
    )`.execute(db)
  await sql`
    create table pack_set_part (
      kind text not null references pack_set on delete cascade,
      part integer not null,
      body bytea not null,
      primary key (kind, part)
    )`.execute(db)
  // Requests of clients near their rate limit. Losing these rows in a crash resets the limits, so they need no log.
  await sql`
    create unlogged table request_count (
      -- SHA-256 of the credential or address.
      key text primary key,
      used integer not null,
      resets_at timestamptz not null
    )`.execute(db)
}
