/**
 * Downloaded templates and fingerprints in the database. One process imports a set; the others copy it into their data
 * folder, so that scans find the same on every machine.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { distinct, fromCheck } from '#packs/drafts.ts'
import { createScratch, replaceFolder, setFolder } from '#packs/files.ts'
import type { PackSet, SetKind } from '#packs/read-in-process.ts'
import { upsertThreats } from '#threats/index.ts'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { filesBelow } from '#files-below.ts'

const partBytes = 1024 * 1024
const syncMs = 15_000
const kinds = ['template', 'fingerprints'] as const

export interface SharedSets {
  /** Copies sets that other processes imported: immediately, and then every few seconds. */
  start(): Promise<void>
  close(): Promise<void>
}

export function createSharedSets(owner: Kysely<Tables>, packsFolder: string, log: Log): SharedSets {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const syncAll = async () => {
    for (const kind of kinds) await syncSet(owner, packsFolder, kind, log)
  }
  const syncInBackground = () => {
    running = running.then(syncAll).catch((error: unknown) => log.warn({ err: error }, 'copying pack files failed'))
  }
  return {
    async start() {
      await syncAll()
      timer = setInterval(syncInBackground, syncMs).unref()
    },
    async close() {
      clearInterval(timer)
      await running
    },
  }
}

/** Replaces the previous set in all processes and returns the counts of the new one. */
export async function replaceSet(
  packsFolder: string,
  { kind, folder, checks, counts, problems }: PackSet,
  owner: Kysely<Tables>,
  log: Log,
): Promise<{ records: number; skipped: number }> {
  const destination = setFolder(packsFolder, kind)
  await upsertThreats(owner, distinct(checks.map(fromCheck)))
  // First in the database: after a crash, this process copies it like the others.
  const digest = await publishSet(owner, kind, folder)
  await replaceFolder(destination, folder)
  await markSet(packsFolder, kind, digest)
  log.info({ folder: destination, ...counts, rejected: problems.length }, 'pack files replaced')
  return { records: counts.checks + counts.fingerprints, skipped: problems.length }
}

/** Makes the files below a folder the current set of all processes. */
async function publishSet(owner: Kysely<Tables>, kind: SetKind, folder: string): Promise<string> {
  const files: (readonly [string, string])[] = []
  for (const path of await filesBelow(folder))
    files.push([relative(folder, path).replaceAll(sep, '/'), await readFile(path, 'utf8')])
  const text = JSON.stringify(files)
  const digest = createHash('sha256').update(text).digest('hex')
  const body = await promisify(gzip)(text)
  await owner.transaction().execute(async (tx) => {
    // Locks the set until the end of the transaction.
    await tx
      .insertInto('pack_set')
      .values({ kind, digest })
      .onConflict((conflict) => conflict.column('kind').doUpdateSet({ digest }))
      .execute()
    await tx.deleteFrom('pack_set_part').where('kind', '=', kind).execute()
    for (let part = 0; part * partBytes < body.length; part++) {
      const bytes = body.subarray(part * partBytes, (part + 1) * partBytes)
      await tx.insertInto('pack_set_part').values({ kind, part, body: bytes }).execute()
    }
  })
  return digest
}

/** Remembers which set the data folder contains. */
async function markSet(packsFolder: string, kind: SetKind, digest: string): Promise<void> {
  await writeFile(markerOf(packsFolder, kind), digest)
}

function markerOf(packsFolder: string, kind: SetKind): string {
  return `${setFolder(packsFolder, kind)}.digest`
}

async function syncSet(owner: Kysely<Tables>, packsFolder: string, kind: SetKind, log: Log): Promise<void> {
  const current = await owner.selectFrom('pack_set').select('digest').where('kind', '=', kind).executeTakeFirst()
  const own = await readFile(markerOf(packsFolder, kind), 'utf8').catch(() => '')
  if (current?.digest === own) return
  const folder = setFolder(packsFolder, kind)
  if (current) return copySet(owner, packsFolder, kind, log)
  // The set was downloaded before sets were shared.
  if ((await filesBelow(folder)).length > 0) await markSet(packsFolder, kind, await publishSet(owner, kind, folder))
}

const Files = z.array(z.tuple([z.string(), z.string()]))

async function copySet(owner: Kysely<Tables>, packsFolder: string, kind: SetKind, log: Log): Promise<void> {
  // One statement, so that the digest and the parts belong together.
  const parts = await owner
    .selectFrom('pack_set_part')
    .innerJoin('pack_set', 'pack_set.kind', 'pack_set_part.kind')
    .select(['digest', 'body'])
    .where('pack_set.kind', '=', kind)
    .orderBy('part')
    .execute()
  const text = await promisify(gunzip)(Buffer.concat(parts.map(({ body }) => body)))
  const files = Files.parse(JSON.parse(text.toString('utf8')))
  const scratch = await createScratch(packsFolder)
  try {
    const folder = join(scratch.folder, kind)
    await mkdir(folder)
    for (const [name, content] of files) {
      const path = join(folder, name)
      if (!path.startsWith(folder + sep)) continue
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
    await replaceFolder(setFolder(packsFolder, kind), folder)
    await markSet(packsFolder, kind, parts[0]?.digest ?? '')
    log.info({ kind, files: files.length }, 'pack files copied from the database')
  } finally {
    await scratch.remove()
  }
}
