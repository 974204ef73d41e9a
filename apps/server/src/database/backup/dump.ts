/** Dumps the database from one snapshot, without blocking writers. */
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { connect } from '#database/backup/client.ts'
import type { BackupEnd, Manifest, Table } from '#database/backup/descriptions.ts'
import { schemaVersionsOf, sequencesOf, tablesOf } from '#database/backup/tables.ts'

/** One file of a backup. */
export interface Part {
  readonly name: string
  readonly content: Buffer
}

/** Each part of a table is buffered in memory. */
const partBytesMax = 8 * 1024 ** 2
const newline = 10

/**
 * Yields all data of Glacis: `manifest.json`, then for each table `tables/<name>/<number>.copy` in the text format of
 * COPY, then `end.json`.
 *
 * @param url connection URL of the tables' owner
 * @param release the running release
 * @param signal closes the connection, even while it waits for the database
 * @throws if the database can't be read completely
 */
export async function* dumpDatabase(url: string, release: string, signal?: AbortSignal): AsyncGenerator<Part> {
  const client = await connect(url)
  const disconnect = () => void client.end()
  signal?.addEventListener('abort', disconnect)
  try {
    signal?.throwIfAborted()
    await client.query('begin isolation level repeatable read, read only')
    const tables = await tablesOf(client)
    const manifest: Manifest = {
      format: 1,
      release,
      createTime: new Date().toISOString(),
      ...(await schemaVersionsOf(client)),
      tables,
    }
    yield json('manifest.json', manifest)
    const rows: Record<string, number> = {}
    for (const table of tables) rows[table.name] = yield* partsOf(client, table)
    yield json('end.json', { rows, sequences: await sequencesOf(client) } satisfies BackupEnd)
    await client.query('commit')
  } finally {
    signal?.removeEventListener('abort', disconnect)
    await client.end()
  }
}

/** @returns the number of rows */
async function* partsOf(client: pg.Client, { name, columns }: Table): AsyncGenerator<Part, number> {
  // COPY of a partitioned table requires a query.
  const lines = client.query(copyTo(`copy (select ${columns.join(', ')} from ${name}) to stdout`))
  let [rows, number, bytes]: [number, number, number] = [0, 0, 0]
  let chunks: Buffer[] = []
  const part = (): Part => {
    const content = Buffer.concat(chunks)
    ;[chunks, bytes] = [[], 0]
    return { name: `tables/${name}/${String(++number).padStart(6, '0')}.copy`, content }
  }
  for await (const chunk of lines as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) rows++
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= partBytesMax) yield part()
  }
  if (bytes > 0) yield part()
  return rows
}

function json(name: string, content: Manifest | BackupEnd): Part {
  return { name, content: Buffer.from(`${JSON.stringify(content, null, 2)}\n`) }
}
