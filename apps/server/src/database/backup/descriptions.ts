/** The two JSON files of a backup: `manifest.json` describes it, `end.json` proves that it is complete. */
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { CliError } from '#cli-error.ts'

const Table = z.object({
  /** With its schema, quoted. */
  name: z.string(),
  /** Quoted, without generated columns. */
  columns: z.array(z.string()).min(1),
})
export type Table = z.infer<typeof Table>

const Manifest = z.object({
  format: z.literal(1),
  /** The release that created the backup. */
  release: z.string(),
  /** ISO 8601, UTC. */
  createTime: z.string(),
  /** In the order in which they were applied. */
  migrations: z.array(z.string()),
  /** Schema version of the job queue. */
  queueVersion: z.number(),
  tables: z.array(Table),
})
export type Manifest = z.infer<typeof Manifest>

const Sequence = z.object({
  name: z.string(),
  /** A bigint as text. */
  last: z.string().regex(/^-?\d{1,19}$/),
  isCalled: z.boolean(),
})
export type Sequence = z.infer<typeof Sequence>

const BackupEnd = z.object({
  /** Number of rows per table. */
  rows: z.record(z.string(), z.number()),
  sequences: z.array(Sequence),
})
export type BackupEnd = z.infer<typeof BackupEnd>

/** Both list tables, of which there are about a hundred. */
const bytesMax = 4 * 1024 ** 2

/** @throws CliError if it isn't a manifest that this release can read */
export async function readManifest(bytes: Readable): Promise<Manifest> {
  const { data } = Manifest.safeParse(await readJson(bytes))
  if (!data) throw new CliError('The file is not a backup that this release of Glacis can read.')
  return data
}

/** @throws CliError if it is invalid */
export async function readEnd(bytes: Readable): Promise<BackupEnd> {
  const { data } = BackupEnd.safeParse(await readJson(bytes))
  if (!data) throw new CliError('The backup is corrupted: its last file is invalid. Nothing was restored.')
  return data
}

/** @returns undefined for anything but JSON of an acceptable size */
async function readJson(bytes: Readable): Promise<unknown> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > bytesMax) return undefined
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined
  }
}
