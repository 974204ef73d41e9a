import { type Kysely, sql } from 'kysely'

/**
 * Who says that a build holds a fix: a source package or an advisory. What it says later goes in the
 * place of what it said before, and an advisory that is withdrawn takes back its own word alone.
 */
export const name = '0015-fix-origins'
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table distribution_fix add column origin text not null default ''`.execute(db)
  // Of what was said until now, nobody knows who did, so each version goes on to stand for itself.
  await sql`update distribution_fix set origin = fixed_version`.execute(db)
  await sql`
    alter table distribution_fix
      alter column origin drop default,
      drop constraint distribution_fix_pkey,
      add primary key (key, product, release, origin)`.execute(db)
}
