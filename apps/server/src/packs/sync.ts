import { createHash } from 'node:crypto'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Item, Lifecycle } from '@glacis/intelligence'
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { distinct, fromCheck, fromRecord } from '#packs/drafts.ts'
import type { PackFolders } from '#packs/folders.ts'
import { packNames } from '#packs/names.ts'
import { type ReadAccess, readInProcess } from '#packs/read-in-process.ts'
import { countSoftware, replaceLifecycles } from '#packs/write.ts'
import { withWriteLock, upsertThreats } from '#threats/index.ts'
import type { Kysely } from 'kysely'

/**
 * Updates the database from pack files. Packs with unchanged files are not opened, so that starting is fast. Invalid
 * files are skipped and counted. A process without access to the database parses them.
 */
export async function syncPacks(owner: Kysely<Tables>, folders: PackFolders, log: Log): Promise<void> {
  const { checks, fingerprints, threats, lifecycles, cache } = folders
  if (cache !== undefined) await mkdir(cache, { recursive: true, mode: 0o700 })
  // The same for all, so that they share one process.
  const access = {
    readable: [...checks, ...fingerprints, ...threats, ...lifecycles],
    writable: cache === undefined ? [] : [cache],
  }
  await syncPack(owner, log, 'Checks and fingerprints', [...checks, ...fingerprints], async () => {
    const request = { kind: 'packs' as const, folders: { checks, fingerprints, ...(cache !== undefined && { cache }) } }
    const packs = await readInProcess(request, access, { signal: new AbortController().signal })
    for (const { file, reason } of packs.problems.slice(0, 20)) log.warn({ file, reason }, 'pack file rejected')
    await upsertThreats(owner, distinct(packs.checks.map(fromCheck)))
    return { records: packs.counts.checks + packs.counts.fingerprints, skipped: packs.problems.length }
  })
  await syncPack(owner, log, 'Threat records', threats, () => readThreats(owner, threats, access, log))
  await syncPack(owner, log, 'Lifecycles', lifecycles, () => readLifecycles(owner, lifecycles, access))
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

/** A digest of the names, sizes, and times of all files below these paths. */
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

async function readThreats(
  owner: Kysely<Tables>,
  files: readonly string[],
  access: ReadAccess,
  log: Log,
): Promise<Outcome> {
  let [records, skipped] = [0, 0]
  await readItems('nvd', files, access, async (items) => {
    const drafts = items.flatMap((item) => (item.kind === 'threat' ? [fromRecord(item.threat, 'own')] : []))
    await upsertThreats(owner, distinct(drafts))
    records += drafts.length
    skipped += items.length - drafts.length
  })
  await withWriteLock(owner, countSoftware)
  if (skipped > 0) log.warn({ skipped }, 'threat records skipped')
  return { records, skipped }
}

/** Lifecycles from the endoflife.date feed, once loaded, replace the built-in ones, which become outdated. */
async function readLifecycles(owner: Kysely<Tables>, files: readonly string[], access: ReadAccess): Promise<Outcome> {
  const lifecycles: Lifecycle[] = []
  let skipped = 0
  await readItems('lifecycle', files, access, async (items) => {
    for (const item of items) {
      if (item.kind === 'lifecycle') lifecycles.push(item.lifecycle)
      else skipped += 1
    }
  })
  const feedPack = await owner
    .selectFrom('pack')
    .select('name')
    .where('name', '=', packNames.lifecycle)
    .where('records', '>', 0)
    .executeTakeFirst()
  if (!feedPack) await withWriteLock(owner, (tx) => replaceLifecycles(tx, lifecycles))
  return { records: lifecycles.length, skipped }
}

async function readItems(
  format: 'nvd' | 'lifecycle',
  files: readonly string[],
  access: ReadAccess,
  write: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  await readInProcess({ kind: 'records', format, files }, access, {
    signal: new AbortController().signal,
    receive: async (message) => (message.kind === 'items' ? write(message.items) : undefined),
  })
}
