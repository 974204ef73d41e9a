/** The contents of a database backup, read from the system catalog: tables, columns, sequences. */
import type pg from 'pg'
import type { Manifest, Sequence, Table } from '#database/backup/descriptions.ts'

/** All schemas of Glacis; migrations create them before data is loaded. */
const schemas = ['public', 'identity', 'pgboss']
/** Migration tables are not part of a backup; its manifest lists the required migrations. */
const migrationTables = ['public.kysely_migration', 'public.kysely_migration_lock', 'pgboss.version']

/** All tables with their columns. Partitions are read through their parent table. */
export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select format('%I.%I', space.nspname, class.relname) as name,
            array_agg(quote_ident(attname) order by attnum) as columns
     from pg_class as class
     join pg_namespace as space on space.oid = class.relnamespace
     join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = ''
     where space.nspname = any($1) and class.relkind in ('r', 'p') and not class.relispartition
     group by 1
     order by 1`,
    [schemas],
  )
  return rows.filter(({ name }) => !migrationTables.includes(name))
}

/** The applied migrations and the schema version of the job queue. */
export async function schemaVersionsOf(client: pg.Client): Promise<Pick<Manifest, 'migrations' | 'queueVersion'>> {
  const migrations = await client.query<{ name: string }>(
    'select name from public.kysely_migration order by timestamp, name',
  )
  const queue = await client.query<{ version: number }>('select version from pgboss.version')
  return { migrations: migrations.rows.map(({ name }) => name), queueVersion: queue.rows[0]?.version ?? 0 }
}

export async function sequencesOf(client: pg.Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, sequencename) as name from pg_sequences where schemaname = any($1) order by 1`,
    [schemas],
  )
  const sequences: Sequence[] = []
  for (const { name } of rows) {
    const { rows: states } = await client.query<{ last_value: string; is_called: boolean }>(
      `select last_value::text, is_called from ${name}`,
    )
    for (const { last_value: last, is_called: isCalled } of states) sequences.push({ name, last, isCalled })
  }
  return sequences
}
