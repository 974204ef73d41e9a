/** Keeping up with the world: what is due is asked for, one source after the other. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { fetchLogged } from '#packs/cve-log.ts'
import { bring, type Errand, fetchFile, Miss, type NetworkOptions, parsed, validatorsOf } from '#packs/errand.ts'
import { checkEveryMs } from '#packs/feeds.ts'
import { ImportFailure } from '#packs/import-aside.ts'
import { type Source, sources } from '#packs/sources.ts'
import { notePack } from '#packs/state.ts'

export interface Network {
  /** True when a source should be asked. */
  isDue(): Promise<boolean>
  /** Asks every source that is due, in order. `onImport` is called after each that brought something. */
  sync(signal: AbortSignal, onImport: () => Promise<void>): Promise<void>
  /** Asks the source of one pack, due or not, except while it is asked and for a minute after it was. */
  check(pack: string, signal: AbortSignal, onImport: () => Promise<void>): Promise<void>
}

const backOffMsMin = 5 * 60_000
const backOffMsMax = 6 * 3_600_000
const oldestYear = 2002
/** The API gives so many records a page, and wants to be asked no more than five times in half a minute. */
const pageRecords = 2000
const pagePauseMs = 6500
/** The API takes spans of 120 days; a little overlap loses nothing. */
const spanMsMax = 100 * 24 * 3_600_000

export async function createNetwork(options: NetworkOptions): Promise<Network> {
  const { owner, log, addresses, packsFolder } = options
  const downloads = join(dirname(packsFolder), 'downloads')
  // A process that was killed leaves its downloads behind.
  await rm(downloads, { recursive: true, force: true })
  await mkdir(downloads, { recursive: true })
  const wanted = sources.filter(({ key }) => addresses[key] !== '')
  let hasSaidOffline = false
  const underWay = new Set<string>()

  async function due(): Promise<readonly Source[]> {
    const rows = await owner.selectFrom('pack').select(['name', 'next_at']).execute()
    const nextAt = new Map(rows.map((row) => [row.name, row.next_at]))
    return wanted.filter(({ pack }) => (nextAt.get(pack)?.getTime() ?? 0) <= Date.now())
  }

  async function syncOne(source: Source, signal: AbortSignal, onImport: () => Promise<void>): Promise<void> {
    if (underWay.has(source.pack)) return
    underWay.add(source.pack)
    const folder = await mkdtemp(join(downloads, `${source.key}-`))
    try {
      await fetchSource(source, { ...options, folder, signal, onImport })
      await notePack(owner, source.pack, {
        failures: 0,
        progress: '',
        problem: '',
        checkedAt: new Date(),
        nextAt: new Date(Date.now() + source.everyMs),
      })
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Miss || error instanceof ImportFailure) return await noteMiss(source, error)
      // A bug must neither be asked for again each minute nor leave the panel without a word.
      await noteMiss(source, new Miss('Internal error while importing. See the server log.'))
      throw error
    } finally {
      underWay.delete(source.pack)
      await rm(folder, { recursive: true, force: true })
    }
  }

  async function noteMiss({ pack }: Source, miss: Miss | ImportFailure): Promise<void> {
    const known = await owner
      .selectFrom('pack')
      .select(['failures', 'records'])
      .where('name', '=', pack)
      .executeTakeFirst()
    const failures = (known?.failures ?? 0) + 1
    const backOffMs = Math.min(backOffMsMax, backOffMsMin * 2 ** (failures - 1))
    const nextAt = new Date(Date.now() + Math.max(backOffMs, miss instanceof Miss ? miss.retryAfterMs : 0))
    await notePack(owner, pack, {
      failures,
      problem: miss.message,
      progress: '',
      checkedAt: new Date(),
      nextAt,
      ...(!known?.records && { state: 'STATE_FAILED' as const }),
    })
    const isOffline = miss instanceof Miss && miss.isOffline
    if (isOffline && hasSaidOffline) return
    if (isOffline) {
      hasSaidOffline = true
      log.warn({}, 'feed download failed, network unreachable')
    } else log.warn({ pack, problem: miss.message, nextAt }, 'feed update failed')
  }

  return {
    isDue: async () => (await due()).length > 0,
    async sync(signal, onImport) {
      for (const source of await due()) await syncOne(source, signal, onImport)
    },
    async check(pack, signal, onImport) {
      const source = wanted.find((one) => one.pack === pack)
      const row = await owner.selectFrom('pack').select('checked_at').where('name', '=', pack).executeTakeFirst()
      const isFresh = Date.now() - (row?.checked_at?.getTime() ?? 0) < checkEveryMs
      if (source && !isFresh) await syncOne(source, signal, onImport)
    },
  }
}

async function fetchSource(source: Source, errand: Errand): Promise<void> {
  if (source.key === 'nvd') return fetchNvd(source, errand)
  const address = errand.addresses[source.key]
  const file = join(errand.folder, basename(new URL(address).pathname) || 'feed')
  const known = await validatorsOf(errand.owner, source)
  const fresh = await fetchFile(source, address, file, known, errand)
  if (!fresh) return
  if (source.key === 'cve5') return fetchLogged(file, { source, known, fresh }, errand)
  await bring(file, errand)
  await notePack(errand.owner, source.pack, { validators: fresh })
}

/** The yearly files, newest first and each usable as it arrives; from then on what the API says has changed. */
async function fetchNvd(source: Source, errand: Errand): Promise<void> {
  const begunAt = new Date().toISOString()
  let known = { ...(await validatorsOf(errand.owner, source)) }
  const remember = async (more: Record<string, string>) => {
    known = { ...known, ...more }
    await notePack(errand.owner, source.pack, { validators: known })
  }
  if (!known['since']) await remember({ since: begunAt })
  for (let year = new Date().getUTCFullYear(); year >= (errand.firstYear ?? oldestYear); year--) {
    if (known[`year ${year}`]) continue
    const path = join(errand.folder, `NVD ${year}`)
    await fetchFile(source, errand.addresses.nvd.replace('{year}', String(year)), path, {}, errand)
    await bring(path, errand)
    await rm(path, { force: true })
    await remember({ [`year ${year}`]: begunAt })
  }
  if (errand.addresses.nvdChanges !== '') await fetchChanges(source, errand, known['since'] ?? begunAt, remember)
}

const PageHead = z.object({ totalResults: z.number().int().min(0), startIndex: z.number().int().min(0) })

async function fetchChanges(
  source: Source,
  errand: Errand,
  since: string,
  remember: (more: Record<string, string>) => Promise<void>,
): Promise<void> {
  const until = new Date(Math.min(Date.now(), Date.parse(since) + spanMsMax)).toISOString()
  for (let startIndex = 0, total = 1; startIndex < total; startIndex += pageRecords) {
    if (startIndex > 0) await wait(pagePauseMs, undefined, { signal: errand.signal })
    const query = new URLSearchParams({
      lastModStartDate: since,
      lastModEndDate: until,
      startIndex: String(startIndex),
      resultsPerPage: String(pageRecords),
    })
    const path = join(errand.folder, 'changes.json')
    await fetchFile(source, `${errand.addresses.nvdChanges}?${query}`, path, {}, errand)
    const head = PageHead.safeParse(await parsed(path))
    if (!head.success) throw new Miss('services.nvd.nist.gov answers with something that is no page of records.')
    total = head.data.totalResults
    if (total > 0) await bring(path, errand)
  }
  await remember({ since: until })
}
