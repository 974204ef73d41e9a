/** The contents of a database backup, read from the system catalog: tables, columns, sequences. */
import type pg from 'pg'

/** All schemas of Glacis; migrations create them before data is loaded. */
const schemas = ['public', 'identity', 'pgboss']
/** Migration tables are not part of a backup; its manifest lists the required migrations. */
const ofTheSchema = ['public.kysely_migration', 'public.kysely_migration_lock', 'pgboss.version']

export interface Table {
  /** With its schema, quoted as SQL wants it. */
  readonly name: string
  /** Quoted; without those that the database computes. */
  readonly columns: readonly string[]
}

/** What a backup says of itself before it says anything else. */
export interface Manifest {
  readonly format: 1
  /** The release that wrote it. */
  readonly release: string
  /** ISO 8601, UTC. */
  readonly createTime: string
  /** In the order in which they ran. */
  readonly migrations: readonly string[]
  /** Of the job queue's own tables. */
  readonly queueVersion: number
  readonly tables: readonly Table[]
}

/** What a backup ends with: without it, it was cut off. */
export interface Ending {
  /** By table. */
  readonly rows: Readonly<Record<string, number>>
  readonly sequences: readonly Sequence[]
}

interface Sequence {
  readonly name: string
  /** A bigint in digits. */
  readonly last: string
  readonly isCalled: boolean
}

/** Tables with rows of their own; what is in partitions is read through the table that they are parts of. */
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
  return rows.filter(({ name }) => !ofTheSchema.includes(name))
}

/** The migrations that have run, and the form of the queue's tables. */
export async function formOf(client: pg.Client): Promise<Pick<Manifest, 'migrations' | 'queueVersion'>> {
  const ran = await client.query<{ name: string }>('select name from public.kysely_migration order by timestamp, name')
  const queue = await client.query<{ version: number }>('select version from pgboss.version')
  return { migrations: ran.rows.map(({ name }) => name), queueVersion: queue.rows[0]?.version ?? 0 }
}

export async function sequencesOf(client: pg.Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, sequencename) as name from pg_sequences where schemaname = any($1) order by 1`,
    [schemas],
  )
  const found: Sequence[] = []
  for (const { name } of rows) {
    const { rows: states } = await client.query<{ last_value: string; is_called: boolean }>(
      `select last_value::text, is_called from ${name}`,
    )
    for (const { last_value: last, is_called: isCalled } of states) found.push({ name, last, isCalled })
  }
  return found
}
