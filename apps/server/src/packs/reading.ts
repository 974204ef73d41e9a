/** The state of one import: what was counted, what waits to be written, how far it came. */
import type { Format, Item, PackedFile } from '@glacis/intelligence'
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { type FileSink, fileSink } from '#packs/files.ts'
import { type PackName, packNames } from '#packs/names.ts'
import { notePack } from '#packs/state.ts'
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

export interface ReadingOptions {
  readonly owner: Kysely<Tables>
  readonly log: Log
  /** Where templates and fingerprints are kept for the scanner. */
  readonly packsFolder: string
  /** Called now and then with what is being done, in words. */
  readonly onProgress?: ((words: string) => void) | undefined
}

/** What an import did to one pack. */
export interface Imported {
  readonly pack: PackName
  readonly records: number
  readonly skipped: number
}

export interface Reading {
  /** A file of this format begins; `version` is what the feed calls its own state, empty where it has no word for it. */
  begin(format: Format, version: string): PackName
  add(format: Format, item: Item): Promise<void>
  /** Keeps a file that is not read into the database, but by the scanner. */
  keep(format: 'template' | 'fingerprints', file: PackedFile): Promise<void>
  /** Writes what is left, and what the packs now say of themselves. */
  finish(): Promise<Imported[]>
  /** Ends it in the middle. The cursor stays, so that the next import of the same content goes on there. */
  abandon(): Promise<void>
}

/** Items of one transaction. More is hardly faster and holds more memory. */
const batchItems = 500
/** Criteria of one transaction: some records have as many as a thousand others. */
const batchCriteria = 10_000

/** These replace what was there as a whole, in one transaction. */
type WholeFormat = 'kev' | 'epss' | 'lifecycle' | 'dictionary'
const wholeFormats: Readonly<Partial<Record<Format, WholeFormat>>> = {
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
 * Begins an import.
 *
 * @param digest of the whole content
 * @param from so many items were written by an import of the same content that was interrupted
 */
export function createReading(digest: string, from: number, options: ReadingOptions): Reading {
  const { owner, log, packsFolder } = options
  const counts = new Map<PackName, Count>()
  const wholes = new Map<WholeFormat, Item[]>()
  const sinks = new Map<PackName, FileSink>()
  let batch: Item[] = []
  let criteria = 0
  let batchPack: PackName = packNames.nvd
  let items = 0
  /** The batch that the database is busy with, while the next one is read. */
  let writing: Promise<void> = Promise.resolve()

  function countOf(pack: PackName): Count {
    const count = counts.get(pack) ?? { records: 0, skipped: 0, version: '' }
    counts.set(pack, count)
    return count
  }

  async function flush(): Promise<void> {
    if (batch.length === 0) return
    const [full, pack] = [batch, batchPack]
    batch = []
    criteria = 0
    const progress = `Reading ${pack}: ${countOf(pack).records.toLocaleString('en')} records so far`
    const cursor = { digest, items }
    await writing
    writing = withWriteLock(owner, async (tx) => {
      // A crash of the machine takes back the cursor with the rows, so nobody needs to wait for the disk.
      await sql`set local synchronous_commit = off`.execute(tx)
      await writeBatch(tx, full)
      await notePack(tx, pack, { progress, cursor })
    })
    // Whoever waits for it next hears of a failure.
    writing.catch(() => undefined)
    options.onProgress?.(progress)
  }

  async function conclude(tx: Transaction<Tables>): Promise<void> {
    for (const [format, all] of wholes) await replaceWhole(tx, format, all, countOf(packNames[format]).version)
    if (counts.size > 0) await countSoftware(tx)
    for (const [pack, count] of counts) await conclusionOf(tx, pack, count)
  }

  return {
    begin(format, version) {
      const pack = packOf(format)
      const count = countOf(pack)
      if (version > count.version) count.version = version
      return pack
    },
    async add(format, item) {
      const pack = packOf(format)
      const count = countOf(pack)
      count[item.kind === 'skipped' ? 'skipped' : 'records'] += 1
      if (item.kind === 'skipped') return
      const whole = wholeFormats[format]
      if (whole) {
        const all = wholes.get(whole)
        if (all) all.push(item)
        else wholes.set(whole, [item])
        return
      }
      if (pack !== batchPack) await flush()
      batchPack = pack
      items += 1
      if (items <= from) return
      batch.push(item)
      criteria += criteriaOf(item)
      if (batch.length >= batchItems || criteria >= batchCriteria) await flush()
    },
    async keep(format, file) {
      const pack = packNames[format]
      const sink = sinks.get(pack) ?? (await fileSink(packsFolder, format))
      sinks.set(pack, sink)
      countOf(pack).records += (await sink.keep(file)) ? 1 : 0
    },
    async finish() {
      await flush()
      await writing
      for (const [pack, sink] of sinks) Object.assign(countOf(pack), await sink.finish(owner, log))
      await withWriteLock(owner, conclude)
      return [...counts].map(([pack, { records, skipped }]) => ({ pack, records, skipped }))
    },
    async abandon() {
      await writing.catch(() => undefined)
      for (const sink of sinks.values()) await sink.abandon()
      for (const pack of counts.keys()) await notePack(owner, pack, { progress: '' }).catch(() => undefined)
    },
  }
}

function criteriaOf(item: Item): number {
  if (item.kind !== 'threat') return 0
  const nodes = item.threat.configurations.flatMap((one) => one.nodes)
  return nodes.reduce((sum, node) => sum + node.cpeMatch.length, 0)
}

function packOf(format: Format): PackName {
  return packNames[format === 'lifecycle-page' ? 'lifecycle' : format]
}

async function conclusionOf(
  tx: Transaction<Tables>,
  pack: PackName,
  { records, skipped, version }: Count,
): Promise<void> {
  const isGood = records > 0
  await notePack(tx, pack, {
    skipped,
    progress: '',
    cursor: null,
    checkedAt: new Date(),
    problem: isGood ? '' : 'No record could be read; the feed format may have changed. The previous data is kept.',
    ...(isGood
      ? { records: await totalOf(tx, pack, records), state: 'STATE_READY' as const, isRenewed: true }
      : { state: 'STATE_FAILED' as const }),
    ...(version !== '' && { version }),
  })
}

/** Records of CVEs come in many files and over time; what counts is how many there are now. */
async function totalOf(tx: Transaction<Tables>, pack: PackName, read: number): Promise<number> {
  const source = { [packNames.nvd]: 'nvd', [packNames.cve5]: 'cve5' }[pack as string]
  if (source === undefined) return read
  const { rows } = await sql<{
    count: number
  }>`select count(*)::int as count from threat where digests ? ${source}`.execute(tx)
  return rows[0]?.count ?? read
}

async function replaceWhole(
  tx: Transaction<Tables>,
  format: WholeFormat,
  items: readonly Item[],
  version: string,
): Promise<void> {
  const known = await tx.selectFrom('pack').select('version').where('name', '=', packNames[format]).executeTakeFirst()
  if (version !== '' && known && known.version > version) {
    throw new Error(`This is version ${version}, but version ${known.version} is already loaded. Skipped.`)
  }
  const exploitations = items.filter((item) => item.kind === 'exploitation')
  if (format === 'kev') await replaceKnownExploited(tx, exploitations)
  if (format === 'epss') await replaceProbabilities(tx, exploitations)
  const names = items.filter((item) => item.kind === 'software')
  if (format === 'dictionary') await addSoftware(tx, names)
  const lifecycles = items.flatMap((item) => (item.kind === 'lifecycle' ? [item.lifecycle] : []))
  if (format === 'lifecycle') await replaceLifecycles(tx, lifecycles)
}
