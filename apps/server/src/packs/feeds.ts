import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/insights'
import type { Feed } from '@glacis/contract/insights'
import type { Ctx } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { notFound, ApiError } from '#errors.ts'
import type { Jobs } from '#jobs.ts'
import { type SourceKey, sources } from '#packs/sources.ts'
import type { Kysely, Selectable } from 'kysely'

/** URL of each source, empty if it is turned off; null if no feeds are downloaded. */
export type FeedAddresses = Readonly<Record<SourceKey, string>> | null

const states = { STATE_READY: 'STATE_READY', STATE_EMPTY: 'STATE_EMPTY', STATE_FAILED: 'STATE_FAILED' } as const

/** The database sorts by byte values, with capitals first. */
const { compare } = new Intl.Collator('en', { numeric: true })

/** All packs, sorted by name. */
export async function listFeeds(
  { tx }: { tx: Kysely<Tables> },
  addresses: FeedAddresses,
): Promise<ResultOf<typeof contract.listFeeds>> {
  const rows = await tx.selectFrom('pack').selectAll().execute()
  return { feeds: rows.toSorted((a, b) => compare(a.name, b.name)).map((row) => toFeed(row, addresses)) }
}

function toFeed(row: Selectable<Tables['pack']>, addresses: FeedAddresses): Feed {
  const source = sources.find(({ pack }) => pack === row.name)
  return {
    name: row.name,
    version: row.version,
    records: row.records,
    skipped: row.skipped,
    ...(row.records > 0 && { updateTime: row.updated_at.toISOString() }),
    ...(row.checked_at && { checkTime: row.checked_at.toISOString() }),
    ...(row.problem && { problem: row.problem }),
    ...(row.progress && { progress: row.progress }),
    ...(source && addresses?.[source.key] && { checkable: true }),
    state: Object.values(states).find((state) => state === row.state) ?? 'STATE_FAILED',
  }
}

/** Minimum time between two checks of a source, to limit load on third-party servers. */
export const checkEveryMs = 60_000

/**
 * Queues an immediate update of a feed, even if it isn't due.
 *
 * @throws ApiError `not_found`; `precondition` if the feed is not downloaded; `conflict` while it is being updated,
 *   and within a minute of the last check
 */
export async function checkFeed(
  ctx: Ctx,
  jobs: Jobs,
  addresses: FeedAddresses,
  { name }: ParsedInputOf<typeof contract.checkFeed>,
): Promise<ResultOf<typeof contract.checkFeed>> {
  const row = await ctx.tx.selectFrom('pack').selectAll().where('name', '=', name).executeTakeFirst()
  if (!row) throw notFound('feed', name)
  const feed = toFeed(row, addresses)
  if (addresses === null) {
    const message = 'Feed downloads are turned off; use "npx glacis packs import"'
    throw new ApiError('precondition', message)
  }
  if (!feed.checkable) throw new ApiError('precondition', `${name} has no download source`)
  if (feed.progress) throw new ApiError('conflict', `${name} is already being updated`)
  if (row.checked_at && ctx.now.getTime() - row.checked_at.getTime() < checkEveryMs)
    throw new ApiError('conflict', `${name} was checked less than a minute ago`)
  await jobs.enqueue(ctx.tx, 'feed-check', { pack: name })
  return { feed }
}

export interface PackStatus {
  readonly name: string
  readonly version: string
  /** `3 days`; empty if the pack was never loaded. */
  readonly age: string
  readonly updateTime: string | null
  readonly records: number
  readonly skipped: number
  readonly state: string
  readonly problem: string
  readonly progress: string
}

export async function packStatus(owner: Kysely<Tables>): Promise<PackStatus[]> {
  const rows = await owner.selectFrom('pack').selectAll().execute()
  return rows
    .toSorted((a, b) => compare(a.name, b.name))
    .map(({ name, version, updated_at: updatedAt, records, skipped, state, problem, progress }) => ({
      name,
      version,
      age: records > 0 ? ageOf(Date.now() - updatedAt.getTime()) : '',
      updateTime: records > 0 ? updatedAt.toISOString() : null,
      records,
      skipped,
      state,
      problem,
      progress,
    }))
}

function ageOf(ms: number): string {
  const [amount, unit] =
    ms < 3_600_000 ? [ms / 60_000, 'minute'] : ms < 86_400_000 ? [ms / 3_600_000, 'hour'] : [ms / 86_400_000, 'day']
  return `${Math.floor(amount)} ${unit}${Math.floor(amount) === 1 ? '' : 's'}`
}
