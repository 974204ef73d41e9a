import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lifecycle, readFeed, readNvd } from '@glacis/intelligence'
import { loadPacks } from '@glacis/scanner'
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { distinct, fromCheck, fromRecord } from '#packs/drafts.ts'
import type { PackFolders } from '#packs/folders.ts'
import { packNames } from '#packs/names.ts'
import { countSoftware, replaceLifecycles } from '#packs/write.ts'
import { withWriteLock, type ThreatDraft, upsertThreats } from '#threats/index.ts'
import type { Kysely } from 'kysely'

/**
 * Updates the database from pack files. Packs with unchanged files are not opened, so that starting is fast. Invalid
 * files are skipped and counted.
 */
export async function syncPacks(owner: Kysely<Tables>, folders: PackFolders, log: Log): Promise<void> {
  await syncPack(owner, log, 'Checks and fingerprints', [...folders.checks, ...folders.fingerprints], async () => {
    const packs = await loadPacks(folders)
    for (const { file, reason } of packs.problems.slice(0, 20)) log.warn({ file, reason }, 'pack file rejected')
    await upsertThreats(owner, distinct(packs.checks.map(fromCheck)))
    return { records: packs.counts.checks + packs.counts.fingerprints, skipped: packs.problems.length }
  })
  await syncPack(owner, log, 'Threat records', folders.threats, () => readThreats(owner, folders.threats, log))
  await syncPack(owner, log, 'Life cycles', folders.lifecycles, () => readLifecycles(owner, folders.lifecycles))
}

interface Outcome {
  readonly records: number
  readonly skipped: number
}

async function syncPack(
  owner: Kysely<Tables>,
  log: Log,
  name: string,
  paths: readonly string[],
  read: () => Promise<Outcome>,
): Promise<void> {
  const version = await digestOf(paths)
  const known = await owner.selectFrom('pack').select(['version', 'state']).where('name', '=', name).executeTakeFirst()
  if (known?.version === version && known.state === 'STATE_READY') return
  const { records, skipped } = await read()
  const row = { version, records, skipped, state: records > 0 ? 'STATE_READY' : 'STATE_EMPTY', updated_at: new Date() }
  await owner
    .insertInto('pack')
    .values({ name, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
  log.info({ pack: name, records, skipped }, 'pack loaded')
}

/** A digest of the names, sizes and times of all files below these paths. */
async function digestOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    for (const file of (await filesBelow(path)).toSorted()) {
      const { size, mtimeMs } = await stat(file)
      hash.update(`${file}\0${size}\0${mtimeMs}\n`)
    }
  }
  return hash.digest('hex').slice(0, 16)
}

async function filesBelow(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path]
    const entries = await readdir(path, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

async function readThreats(owner: Kysely<Tables>, files: readonly string[], log: Log): Promise<Outcome> {
  let [records, skipped] = [0, 0]
  for (const file of files) {
    const drafts: ThreatDraft[] = []
    for await (const item of readNvd(createReadStream(file, 'utf8'))) {
      if (item.kind === 'threat') drafts.push(fromRecord(item.threat, 'own'))
      else skipped += 1
    }
    await upsertThreats(owner, distinct(drafts))
    records += drafts.length
  }
  await withWriteLock(owner, countSoftware)
  if (skipped > 0) log.warn({ skipped }, 'threat records skipped')
  return { records, skipped }
}

/** Life cycles of the endoflife.date feed, once loaded, replace the built-in ones, which become outdated. */
async function readLifecycles(owner: Kysely<Tables>, files: readonly string[]): Promise<Outcome> {
  const lifecycles: Lifecycle[] = []
  let skipped = 0
  for (const file of files) {
    for await (const item of readFeed('lifecycle', createReadStream(file, 'utf8'))) {
      if (item.kind === 'lifecycle') lifecycles.push(item.lifecycle)
      else skipped += 1
    }
  }
  const feedPack = await owner
    .selectFrom('pack')
    .select('name')
    .where('name', '=', packNames.lifecycle)
    .where('records', '>', 0)
    .executeTakeFirst()
  if (!feedPack) await withWriteLock(owner, (tx) => replaceLifecycles(tx, lifecycles))
  return { records: lifecycles.length, skipped }
}
