/** The state of an import: counts, the current batch, and the position. */
import type { Format, Item } from '@glacis/intelligence'
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { replaceSet } from '#packs/shared-sets.ts'
import { type PackName, packNames } from '#packs/names.ts'
import type { PackSet, ReadMessage } from '#packs/read-in-process.ts'
import { updatePack } from '#packs/state.ts'
import {
  addSoftware,
  countSoftware,
  replaceKnownExploited,
  replaceLifecycles,
  replaceProbabilities,
  writeBatch,
} from '#packs/write.ts'
import { withWriteLock } from '#threats/index.ts'
import { type Kysely, sql, type Transaction } from 'kysely'

export interface ImportSessionOptions {
  readonly owner: Kysely<Tables>
  readonly log: Log
  /** Folder for templates and fingerprints. */
  readonly packsFolder: string
  /** Called with a progress message from time to time. */
  readonly onProgress?: ((text: string) => void) | undefined
}

/** The counts of an import per pack. */
export interface Imported {
  readonly pack: PackName
  readonly records: number
  readonly skipped: number
}

export interface ImportSession {
  /** Receives the start of a file, or items of the last one. */
  receive(message: ReadMessage): Promise<void>
  /** Adds files that the scanner reads, instead of the database. */
  addSet(set: PackSet): void
  /** Writes the remaining items and updates the packs. */
  finish(): Promise<Imported[]>
  /** Stops early. The cursor remains, so that the next import of the same content resumes. */
  abandon(): Promise<void>
}

/** Items per transaction. More uses more memory without being faster. */
const batchItems = 500
/** Maximum criteria per transaction: some records have as many as a thousand others together. */
const batchCriteria = 10_000
/** Serialized size at which a transaction is written early. */
const batchBytesMax = 16 * 1024 * 1024
/** Serialized size of all replaced lists. The largest, EPSS and the CPE dictionary, have half of it. */
const replacementBytesMax = 96 * 1024 * 1024

/** Formats whose data is replaced as a whole, in one transaction. */
type ReplacedFormat = 'kev' | 'epss' | 'lifecycle' | 'dictionary'
const replacedFormats: Readonly<Partial<Record<Format, ReplacedFormat>>> = {
  kev: 'kev',
  epss: 'epss',
  lifecycle: 'lifecycle',
  'lifecycle-page': 'lifecycle',
  dictionary: 'dictionary',
}

interface Count {
  records: number
  skipped: number
  version: string
}

/**
 * Starts an import.
 *
 * @param digest of the complete content
 * @param from number of items already written by an interrupted import of the same content
 */
export function createImportSession(digest: string, from: number, options: ImportSessionOptions): ImportSession {
  const { owner, log, packsFolder } = options
  const counts = new Map<PackName, Count>()
  const replacements = new Map<ReplacedFormat, Item[]>()
  const sets: PackSet[] = []
  let replacementBytes = 0
  let batch: Item[] = []
  let criteria = 0
  let batchBytes = 0
  let batchPack: PackName = packNames.nvd
  let items = 0
  /** The batch being written while the next one is read. */
  let writing: Promise<void> = Promise.resolve()

  function countOf(pack: PackName): Count {
    const count = counts.get(pack) ?? { records: 0, skipped: 0, version: '' }
    counts.set(pack, count)
    return count
  }

  async function flush(): Promise<void> {
    if (batch.length === 0) return
    const [batchToWrite, pack] = [batch, batchPack]
    batch = []
    criteria = 0
    batchBytes = 0
    const progress = `Reading ${pack}: ${countOf(pack).records.toLocaleString('en')} records so far`
    const cursor = { digest, items }
    await writing
    writing = withWriteLock(owner, async (tx) => {
      // Cursor and rows are lost together in a crash, so the commit doesn't have to wait for the disk.
      await sql`set local synchronous_commit = off`.execute(tx)
      await writeBatch(tx, batchToWrite)
      await updatePack(tx, pack, { progress, cursor })
    })
    // The next caller that awaits `writing` receives the error.
    writing.catch(() => undefined)
    options.onProgress?.(progress)
  }

  async function finishPacks(tx: Transaction<Tables>): Promise<void> {
    for (const [format, all] of replacements) await replaceAll(tx, format, all, countOf(packNames[format]).version)
    if (counts.size > 0) await countSoftware(tx)
    for (const [pack, count] of counts) await finishPack(tx, pack, count)
  }

  async function add(format: Format, item: Item): Promise<void> {
    const pack = packOf(format)
    const count = countOf(pack)
    count[item.kind === 'skipped' ? 'skipped' : 'records'] += 1
    if (item.kind === 'skipped') return
    const replaced = replacedFormats[format]
    if (replaced) {
      const all = replacements.get(replaced)
      if (all) all.push(item)
      else replacements.set(replaced, [item])
      return
    }
    if (pack !== batchPack) await flush()
    batchPack = pack
    items += 1
    if (items <= from) return
    batch.push(item)
    criteria += criteriaOf(item)
    if (batch.length >= batchItems || criteria >= batchCriteria || batchBytes >= batchBytesMax) await flush()
  }

  return {
    async receive(message) {
      if (message.kind === 'file') {
        const count = countOf(packOf(message.format))
        // The version that the feed states, or empty.
        if (message.version > count.version) count.version = message.version
        return
      }
      const { format, bytes } = message
      if (replacedFormats[format]) replacementBytes += bytes
      else batchBytes += bytes
      if (replacementBytes > replacementBytesMax) throw new Error(`The list of ${packOf(format)} is too large.`)
      for (const item of message.items) await add(format, item)
    },
    addSet(set) {
      countOf(packNames[set.kind])
      sets.push(set)
    },
    async finish() {
      await flush()
      await writing
      for (const set of sets)
        Object.assign(countOf(packNames[set.kind]), await replaceSet(packsFolder, set, owner, log))
      await withWriteLock(owner, finishPacks)
      return [...counts].map(([pack, { records, skipped }]) => ({ pack, records, skipped }))
    },
    async abandon() {
      await writing.catch(() => undefined)
      for (const pack of counts.keys()) await updatePack(owner, pack, { progress: '' }).catch(() => undefined)
    },
  }
}

function criteriaOf(item: Item): number {
  if (item.kind !== 'threat') return 0
  const nodes = item.threat.configurations.flatMap((entry) => entry.nodes)
  return nodes.reduce((sum, node) => sum + node.cpeMatch.length, 0)
}

function packOf(format: Format): PackName {
  return packNames[format === 'lifecycle-page' ? 'lifecycle' : format]
}

async function finishPack(
  tx: Transaction<Tables>,
  pack: PackName,
  { records, skipped, version }: Count,
): Promise<void> {
  const hasRecords = records > 0
  await updatePack(tx, pack, {
    skipped,
    progress: '',
    cursor: null,
    checkedAt: new Date(),
    problem: hasRecords ? '' : 'No record could be read; the feed format may have changed. The previous data is kept.',
    ...(hasRecords
      ? { records: await totalOf(tx, pack, records), state: 'STATE_READY' as const, hasNewData: true }
      : { state: 'STATE_FAILED' as const }),
    ...(version !== '' && { version }),
  })
}

/** CVE records arrive in many files over time, so the total is counted in the database. */
async function totalOf(tx: Transaction<Tables>, pack: PackName, read: number): Promise<number> {
  const source = { [packNames.nvd]: 'nvd', [packNames.cve5]: 'cve5' }[pack as string]
  if (source === undefined) return read
  const { rows } = await sql<{
    count: number
  }>`select count(*)::int as count from threat where digests ? ${source}`.execute(tx)
  return rows[0]?.count ?? read
}

async function replaceAll(
  tx: Transaction<Tables>,
  format: ReplacedFormat,
  items: readonly Item[],
  version: string,
): Promise<void> {
  const stored = await tx.selectFrom('pack').select('version').where('name', '=', packNames[format]).executeTakeFirst()
  if (version !== '' && stored && stored.version > version) {
    throw new Error(`This is version ${version}, but version ${stored.version} is already loaded. Skipped.`)
  }
  const exploitations = items.filter((item) => item.kind === 'exploitation')
  if (format === 'kev') await replaceKnownExploited(tx, exploitations)
  if (format === 'epss') await replaceProbabilities(tx, exploitations)
  const names = items.filter((item) => item.kind === 'software')
  if (format === 'dictionary') await addSoftware(tx, names)
  const lifecycles = items.flatMap((item) => (item.kind === 'lifecycle' ? [item.lifecycle] : []))
  if (format === 'lifecycle') await replaceLifecycles(tx, lifecycles)
}
