/** Keeps feeds up to date: downloads all due sources one after the other. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { importLoggedRecords } from '#packs/cve-log.ts'
import {
  importDownload,
  type FeedRun,
  downloadFeed,
  FeedError,
  type FeedUpdaterOptions,
  readJson,
  savedState,
} from '#packs/feed-run.ts'
import { checkEveryMs } from '#packs/feeds.ts'
import { ImportFailure } from '#packs/import-in-thread.ts'
import { type Source, sources } from '#packs/sources.ts'
import { updatePack } from '#packs/state.ts'

export interface FeedUpdater {
  /** Whether any source is due. */
  isDue(): Promise<boolean>
  /** Updates all due sources in order. Calls `onImport` after each that had new data. */
  sync(signal: AbortSignal, onImport: () => Promise<void>): Promise<void>
  /**
   * Updates the source of one pack even if it isn't due, unless it is being updated or was checked within the last
   * minute.
   */
  check(pack: string, signal: AbortSignal, onImport: () => Promise<void>): Promise<void>
}

const backoffMsMin = 5 * 60_000
const backoffMsMax = 6 * 3_600_000
const oldestYear = 2002
/** Page size of the NVD API, and the pause between requests required by its rate limit (five in 30 seconds). */
const pageRecords = 2000
const pagePauseMs = 6500
/** The API accepts ranges up to 120 days. */
const spanMsMax = 100 * 24 * 3_600_000

export async function createFeedUpdater(options: FeedUpdaterOptions): Promise<FeedUpdater> {
  const { owner, log, addresses, packsFolder } = options
  const downloads = join(dirname(packsFolder), 'downloads')
  // Remove downloads of a killed process.
  await rm(downloads, { recursive: true, force: true })
  await mkdir(downloads, { recursive: true })
  const enabled = sources.filter(({ key }) => addresses[key] !== '')
  let hasLoggedOffline = false
  const inProgress = new Set<string>()

  async function due(): Promise<readonly Source[]> {
    const rows = await owner.selectFrom('pack').select(['name', 'next_at']).execute()
    const nextAt = new Map(rows.map((row) => [row.name, row.next_at]))
    return enabled.filter(({ pack }) => (nextAt.get(pack)?.getTime() ?? 0) <= Date.now())
  }

  async function updateSource(source: Source, signal: AbortSignal, onImport: () => Promise<void>): Promise<void> {
    if (inProgress.has(source.pack)) return
    inProgress.add(source.pack)
    const folder = await mkdtemp(join(downloads, `${source.key}-`))
    try {
      await downloadSource(source, { ...options, folder, signal, onImport })
      await updatePack(owner, source.pack, {
        failures: 0,
        progress: '',
        problem: '',
        checkedAt: new Date(),
        nextAt: new Date(Date.now() + source.everyMs),
      })
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof FeedError || error instanceof ImportFailure) return await recordFailure(source, error)
      // After an unexpected error, also back off and show a message.
      await recordFailure(source, new FeedError('Internal error while importing. See the server log.'))
      throw error
    } finally {
      inProgress.delete(source.pack)
      await rm(folder, { recursive: true, force: true })
    }
  }

  async function recordFailure({ pack }: Source, failure: FeedError | ImportFailure): Promise<void> {
    const known = await owner
      .selectFrom('pack')
      .select(['failures', 'records'])
      .where('name', '=', pack)
      .executeTakeFirst()
    const failures = (known?.failures ?? 0) + 1
    const backoffMs = Math.min(backoffMsMax, backoffMsMin * 2 ** (failures - 1))
    const nextAt = new Date(Date.now() + Math.max(backoffMs, failure instanceof FeedError ? failure.retryAfterMs : 0))
    await updatePack(owner, pack, {
      failures,
      problem: failure.message,
      progress: '',
      checkedAt: new Date(),
      nextAt,
      ...(!known?.records && { state: 'STATE_FAILED' as const }),
    })
    const isOffline = failure instanceof FeedError && failure.isOffline
    if (isOffline && hasLoggedOffline) return
    if (isOffline) {
      hasLoggedOffline = true
      log.warn(
        { pack, nextAt },
        'feeds not downloaded, network unreachable; import them with "npx glacis packs import" or set GLACIS_FEEDS=off',
      )
    } else log.warn({ pack, problem: failure.message, nextAt }, 'feed update failed')
  }

  return {
    isDue: async () => (await due()).length > 0,
    async sync(signal, onImport) {
      for (const source of await due()) await updateSource(source, signal, onImport)
    },
    async check(pack, signal, onImport) {
      const source = enabled.find((item) => item.pack === pack)
      const row = await owner.selectFrom('pack').select('checked_at').where('name', '=', pack).executeTakeFirst()
      const isFresh = Date.now() - (row?.checked_at?.getTime() ?? 0) < checkEveryMs
      if (source && !isFresh) await updateSource(source, signal, onImport)
    },
  }
}

async function downloadSource(source: Source, run: FeedRun): Promise<void> {
  if (source.key === 'nvd') return downloadNvd(source, run)
  const address = run.addresses[source.key]
  const file = join(run.folder, basename(new URL(address).pathname) || 'feed')
  const saved = await savedState(run.owner, source)
  const fresh = await downloadFeed(source, address, file, saved, run)
  if (!fresh) return
  if (source.key === 'cve5') return importLoggedRecords(file, { source, known: saved, fresh }, run)
  await importDownload(file, run)
  await updatePack(run.owner, source.pack, { validators: fresh })
}

/** Downloads the yearly files, newest first so that recent records are usable early, then the changes from the API. */
async function downloadNvd(source: Source, run: FeedRun): Promise<void> {
  const startedAt = new Date().toISOString()
  let saved = { ...(await savedState(run.owner, source)) }
  const saveState = async (changes: Record<string, string>) => {
    saved = { ...saved, ...changes }
    await updatePack(run.owner, source.pack, { validators: saved })
  }
  if (!saved['since']) await saveState({ since: startedAt })
  for (let year = new Date().getUTCFullYear(); year >= (run.firstYear ?? oldestYear); year--) {
    if (saved[`year ${year}`]) continue
    const path = join(run.folder, `NVD ${year}`)
    await downloadFeed(source, run.addresses.nvd.replace('{year}', String(year)), path, {}, run)
    await importDownload(path, run)
    await rm(path, { force: true })
    await saveState({ [`year ${year}`]: startedAt })
  }
  if (run.addresses.nvdChanges !== '') await downloadNvdChanges(source, run, saved['since'] ?? startedAt, saveState)
}

const PageHead = z.object({ totalResults: z.number().int().min(0), startIndex: z.number().int().min(0) })

async function downloadNvdChanges(
  source: Source,
  run: FeedRun,
  since: string,
  saveState: (changes: Record<string, string>) => Promise<void>,
): Promise<void> {
  const until = new Date(Math.min(Date.now(), Date.parse(since) + spanMsMax)).toISOString()
  for (let startIndex = 0, total = 1; startIndex < total; startIndex += pageRecords) {
    if (startIndex > 0) await wait(pagePauseMs, undefined, { signal: run.signal })
    const query = new URLSearchParams({
      lastModStartDate: since,
      lastModEndDate: until,
      startIndex: String(startIndex),
      resultsPerPage: String(pageRecords),
    })
    const path = join(run.folder, 'changes.json')
    await downloadFeed(source, `${run.addresses.nvdChanges}?${query}`, path, {}, run)
    const head = PageHead.safeParse(await readJson(path))
    if (!head.success)
      throw new FeedError('services.nvd.nist.gov responded with an unexpected format instead of a page of records.')
    total = head.data.totalResults
    if (total > 0) await importDownload(path, run)
  }
  await saveState({ since: until })
}
