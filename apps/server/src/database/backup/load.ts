/** Restores a backup into a database, completely or not at all. */
import type { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams'
import { connect } from '#database/backup/client.ts'
import { type BackupEnd, type Manifest, readEnd, readManifest, type Table } from '#database/backup/descriptions.ts'
import { schemaVersionsOf, tablesOf } from '#database/backup/tables.ts'
import { CliError } from '#cli-error.ts'

/** A file of the backup. It must be read completely before the next one is requested. */
export interface PartStream {
  readonly name: string
  readonly bytes: Readable
}

export interface Loaded {
  readonly release: string
  /** ISO 8601, UTC. */
  readonly createTime: string
  readonly rows: number
}

interface Options {
  /** Creates the empty tables of these migrations. */
  readonly prepare: (migrations: readonly string[]) => Promise<void>
  /** Stores a file that is not part of the database. */
  readonly saveFile: (part: PartStream) => Promise<void>
  /** Statements to run in the same transaction after all rows are loaded. */
  readonly afterLoad: readonly string[]
}

/**
 * Restores a backup into a database without workspaces.
 *
 * @param url connection URL of the database's owner
 * @throws CliError if the backup is invalid, truncated, or from a newer release
 */
export async function loadDatabase(url: string, parts: AsyncIterable<PartStream>, options: Options): Promise<Loaded> {
  const iterator = parts[Symbol.asyncIterator]()
  let client: pg.Client | undefined
  try {
    const manifest = await firstOf(await iterator.next())
    await options.prepare(manifest.migrations)
    client = await connect(url)
    await requireSameSchema(client, manifest)
    await client.query('begin')
    const restoreStatements = await dropForeignKeys(client, manifest.tables)
    const counts = await load(client, iterator, manifest, options.saveFile)
    for (const statement of [...options.afterLoad, ...restoreStatements]) await client.query(statement)
    await client.query('commit')
    await client.query('analyze')
    return { release: manifest.release, createTime: manifest.createTime, rows: counts }
  } finally {
    await client?.end()
    await iterator.return?.()
  }
}

async function firstOf({ value, done }: IteratorResult<PartStream>): Promise<Manifest> {
  if (done === true || value.name !== 'manifest.json') throw new CliError('The file is not a backup.')
  return readManifest(value.bytes)
}

async function requireSameSchema(client: pg.Client, { release, queueVersion, tables }: Manifest): Promise<void> {
  const schema = await schemaVersionsOf(client)
  const columnsByTable = new Map((await tablesOf(client)).map(({ name, columns }) => [name, new Set(columns)]))
  const unknownTable = tables.find(
    ({ name, columns }) => !columns.every((column) => columnsByTable.get(name)?.has(column)),
  )
  if (schema.queueVersion === queueVersion && !unknownTable) return
  throw new CliError(
    `The backup was created by release ${release} with a different schema. Restore it with that release, then upgrade.`,
  )
}

/**
 * Truncates the tables, disables triggers, and drops foreign keys, because rows can reference rows loaded later.
 *
 * @returns the statements that restore both, which check every reference
 */
async function dropForeignKeys(client: pg.Client, tables: readonly Table[]): Promise<string[]> {
  const names = tables.map(({ name }) => name)
  await client.query(`truncate ${names.join(', ')} cascade`)
  const { rows } = await client.query<{ relation: string; name: string; definition: string }>(
    `select conrelid::regclass::text as relation, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint
     where contype = 'f' and conparentid = 0 and confrelid = any($1::regclass[])
     order by oid`,
    [names],
  )
  for (const { relation, name } of rows) await client.query(`alter table ${relation} drop constraint ${name}`)
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  return [
    ...names.map((name) => `alter table ${name} enable trigger user`),
    ...rows.map(({ relation, name, definition }) => `alter table ${relation} add constraint ${name} ${definition}`),
  ]
}

/** @returns the number of rows */
async function load(
  client: pg.Client,
  parts: AsyncIterator<PartStream>,
  { tables }: Manifest,
  saveFile: Options['saveFile'],
): Promise<number> {
  const counts = new Map(tables.map(({ name }) => [name, 0]))
  let open: { readonly table: Table; readonly lines: CopyStreamQuery } | undefined
  const finish = async () => {
    if (!open) return
    open.lines.end()
    await finished(open.lines)
    counts.set(open.table.name, open.lines.rowCount)
    open = undefined
  }
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    const part = next.value
    const table = tables.find(({ name }) => part.name.startsWith(`tables/${name}/`))
    if (open && open.table !== table) await finish()
    if (table) {
      open ??= { table, lines: client.query(copyFrom(`copy ${table.name} (${table.columns.join(', ')}) from stdin`)) }
      await pipeline(part.bytes, open.lines, { end: false })
    } else if (part.name === 'end.json') {
      await verifyAndSetSequences(client, await readEnd(part.bytes), counts)
      for await (const file of rest(parts)) await saveFile(file)
      return [...counts.values()].reduce((sum, rows) => sum + rows, 0)
    } else part.bytes.resume()
  }
  throw new CliError('The backup is truncated. Nothing was restored.')
}

async function verifyAndSetSequences(
  client: pg.Client,
  { rows, sequences }: BackupEnd,
  counts: ReadonlyMap<string, number>,
) {
  const mismatch = Object.entries(rows).find(([name, count]) => counts.get(name) !== count)
  if (mismatch) throw new CliError(`The backup is corrupted: rows of ${mismatch[0]} are missing. Nothing was restored.`)
  for (const { name, last, isCalled } of sequences)
    await client.query('select setval($1::regclass, $2::bigint, $3)', [name, last, isCalled])
}

async function* rest(parts: AsyncIterator<PartStream>): AsyncGenerator<PartStream> {
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) yield next.value
}
