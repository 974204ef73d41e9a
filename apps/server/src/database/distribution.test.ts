import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()
const script = readFileSync(join(import.meta.dirname, '../../../../deploy/citus/distribute.sql'), 'utf8')

/** Tables that stay on the coordinator, because nothing joins them with the rows of workspaces. */
const local: Readonly<Record<string, string>> = {
  kysely_migration: 'schema version',
  kysely_migration_lock: 'schema version',
  installation: 'one row',
  installation_admin: 'a few rows',
  deletion: 'a few rows, of deleted workspaces',
  pack: 'a row per feed',
  pack_set: 'two rows',
  pack_set_part: 'files of those two sets',
  request_count: 'clients near their rate limit',
}

interface Distribution {
  readonly distributed: Readonly<Record<string, string>>
  readonly reference: readonly string[]
}
let distribution: Distribution

/**
 * Runs the script with functions that stand in for those of Citus and record their calls. This proves that the script
 * fits the schema, not that Citus accepts it.
 */
beforeAll(async () => {
  distribution = await server.database.owner.transaction().execute(async (tx) => {
    await sql`create temporary table call (place serial, name text, key text) on commit drop`.execute(tx)
    await sql`
      create function pg_temp.create_distributed_table(name regclass, key text, colocate_with text default 'default')
      returns void language sql as 'insert into pg_temp.call (name, key) values (name::text, key)'`.execute(tx)
    await sql`
      create function pg_temp.create_reference_table(name regclass) returns void
      language sql as 'insert into pg_temp.call (name) values (name::text)'`.execute(tx)
    await sql
      .raw(script.replaceAll(/\bcreate_(distributed|reference)_table\(/g, 'pg_temp.create_$1_table('))
      .execute(tx)
    const { rows } = await sql<{ name: string; key: string | null }>`
      select name, key from pg_temp.call order by place`.execute(tx)
    return {
      distributed: Object.fromEntries(rows.flatMap(({ name, key }) => (key === null ? [] : [[name, key]]))),
      reference: rows.flatMap(({ name, key }) => (key === null ? [name] : [])),
    }
  })
})

it('every table is distributed by workspace, copied to every node, or local for a reason', async () => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`.execute(server.database.owner)
  const { distributed, reference } = distribution
  expect([...Object.keys(distributed), ...reference, ...Object.keys(local)].toSorted()).toEqual(
    rows.map(({ name }) => name),
  )
  const keys = Object.entries(distributed).filter(([name, key]) => key !== (name === 'workspace' ? 'id' : 'account_id'))
  expect(keys).toEqual([])
})

it('every unique key of a distributed table contains the workspace', async () => {
  const { rows } = await sql<{ name: string; index: string; columns: string[] }>`
    select indrelid::regclass::text as name, indexrelid::regclass::text as index,
      array(select attname::text from pg_attribute where attrelid = indrelid and attnum = any(indkey)) as columns
    from pg_index join pg_class on pg_class.oid = indrelid
    where indisunique and relnamespace = 'public'::regnamespace`.execute(server.database.owner)
  const { distributed } = distribution
  const missing = rows.filter(({ name, columns }) => name in distributed && !columns.includes(distributed[name] ?? ''))
  expect(missing).toEqual([])
  expect(rows.length).toBeGreaterThan(50)
})

it('every foreign key contains the workspace, or refers to a table that is on every node', async () => {
  const { rows } = await sql<{ from: string; to: string; columns: string[]; referred: string[] }>`
    select conrelid::regclass::text as "from", confrelid::regclass::text as "to",
      array(select attname::text from unnest(conkey) with ordinality as key (number, place)
        join pg_attribute on attrelid = conrelid and attnum = number order by place) as columns,
      array(select attname::text from unnest(confkey) with ordinality as key (number, place)
        join pg_attribute on attrelid = confrelid and attnum = number order by place) as referred
    from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace`.execute(server.database.owner)
  const { distributed, reference } = distribution
  const isPossible = (key: (typeof rows)[number]) => {
    if (!(key.from in distributed)) return !(key.to in distributed)
    const place = key.columns.indexOf('account_id')
    return reference.includes(key.to) || (place >= 0 && key.referred[place] === distributed[key.to])
  }
  expect(rows.filter((key) => !isPossible(key))).toEqual([])
  expect(rows.length).toBeGreaterThan(30)
})
