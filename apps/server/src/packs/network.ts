/** Keeping up with the world: what is due is asked for, one source after the other. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { Log } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { download, type Download } from '#packs/download.ts'
import { checkEveryMs } from '#packs/feeds.ts'
import { importAside, ImportFailure } from '#packs/import-aside.ts'
import { type Source, type SourceKey, sources } from '#packs/sources.ts'
import { notePack } from '#packs/state.ts'
import type { Kysely } from 'kysely'

export interface NetworkOptions {
  readonly owner: Kysely<Tables>
  readonly databaseUrl: string
  readonly packsFolder: string
  readonly log: Log
  /** Address of each source; empty: it is not asked. */
  readonly addresses: Readonly<Record<SourceKey, string>>
  /** The oldest year of the NVD that is asked for; absent: all there are. */
  readonly firstYear?: number
}

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
const recordsPerDeltaMax = 500

/** A source could not be read this time; the message is the sentence that the panel shows. */
class Miss extends Error {
  readonly retryAfterMs: number
  readonly isOffline: boolean
  constructor(words: string, { retryAfterMs = 0, isOffline = false } = {}) {
    super(words)
    this.retryAfterMs = retryAfterMs
    this.isOffline = isOffline
  }
}

export function createNetwork(options: NetworkOptions): Network {
  const { owner, log, addresses } = options
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
    const folder = await mkdtemp(join(tmpdir(), 'glacis-feed-'))
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
      await noteMiss(source, new Miss('Reading it failed by a fault of ours; the log says which.'))
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
      log.warn({}, 'no network: Glacis works with what it knows and tries again by itself')
    } else log.warn({ pack, problem: miss.message, nextAt }, 'a feed could not be read')
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

interface Errand extends NetworkOptions {
  /** Emptied when the source is done. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly onImport: () => Promise<void>
}

async function fetchSource(source: Source, errand: Errand): Promise<void> {
  if (source.key === 'nvd') return fetchNvd(source, errand)
  const address = errand.addresses[source.key]
  const validators = await validatorsOf(errand.owner, source)
  const file = join(errand.folder, basename(new URL(address).pathname) || 'feed')
  const fresh = await fetchFile(source, address, file, validators, errand)
  if (!fresh) return
  const path = source.key === 'cve5' ? await collectDelta(address, file, source, errand) : file
  if (path !== null) await bring(path, errand)
  await notePack(errand.owner, source.pack, { validators: fresh })
}

async function validatorsOf(owner: Kysely<Tables>, { pack }: Source): Promise<Readonly<Record<string, string>>> {
  const row = await owner.selectFrom('pack').select('validators').where('name', '=', pack).executeTakeFirst()
  return row?.validators ?? {}
}

/** Answers the validators of what was fetched, or null when it is what it was. */
async function fetchFile(
  { pack, bytesMax }: Source,
  url: string,
  to: string,
  validators: Readonly<Record<string, string>>,
  { owner, signal }: Errand,
): Promise<Readonly<Record<string, string>> | null> {
  await notePack(owner, pack, { progress: `Asking ${new URL(url).host}` })
  const answer: Download = await download(url, { to, validators, bytesMax, signal })
  if (answer.kind === 'failure') throw new Miss(answer.words, answer)
  return answer.kind === 'file' ? answer.validators : null
}

async function bring(path: string, { databaseUrl, packsFolder, signal, onImport }: Errand): Promise<void> {
  await importAside(path, { databaseUrl, packsFolder, signal })
  await onImport()
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

const Delta = z.object({
  new: z.array(z.object({ cveId: z.string(), githubLink: z.url() })).catch([]),
  updated: z.array(z.object({ cveId: z.string(), githubLink: z.url() })).catch([]),
})

/** The CVE programme lists what changed; each record is a file beside the list. */
async function collectDelta(address: string, list: string, source: Source, errand: Errand): Promise<string | null> {
  const delta = Delta.safeParse(await parsed(list))
  if (!delta.success) throw new Miss(`${new URL(address).host} answers with something that is no list of records.`)
  const records = [...delta.data.new, ...delta.data.updated].filter(
    ({ githubLink }) => new URL(githubLink).origin === new URL(address).origin,
  )
  if (records.length === 0) return null
  const folder = join(errand.folder, 'records')
  await mkdir(folder)
  for (const [index, { githubLink }] of records.slice(0, recordsPerDeltaMax).entries()) {
    await fetchFile(source, githubLink, join(folder, `${index}.json`), {}, errand)
  }
  return folder
}

async function parsed(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    await writeFile(path, '')
    return null
  }
}
