import type { ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/insights'
import type { Ctx } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import type { Kysely } from 'kysely'

const states = { STATE_READY: 'STATE_READY', STATE_EMPTY: 'STATE_EMPTY', STATE_FAILED: 'STATE_FAILED' } as const

/** What the product knows, by pack. */
export async function listFeeds(ctx: Ctx): Promise<ResultOf<typeof contract.listFeeds>> {
  const rows = await ctx.tx.selectFrom('pack').selectAll().orderBy('name').execute()
  const feeds = rows.map((row) => ({
    name: row.name,
    version: row.version,
    records: row.records,
    skipped: row.skipped,
    ...(row.records > 0 && { updateTime: row.updated_at.toISOString() }),
    ...(row.checked_at && { checkTime: row.checked_at.toISOString() }),
    ...(row.problem && { problem: row.problem }),
    ...(row.progress && { progress: row.progress }),
    state: Object.values(states).find((state) => state === row.state) ?? 'STATE_FAILED',
  }))
  return { feeds }
}

/** A pack for the command line. */
export interface PackStatus {
  readonly name: string
  readonly version: string
  /** `3 days`; empty where nothing ever came. */
  readonly age: string
  readonly updateTime: string | null
  readonly records: number
  readonly skipped: number
  readonly state: string
  readonly problem: string
  readonly progress: string
}

export async function packStatus(owner: Kysely<Tables>): Promise<PackStatus[]> {
  const rows = await owner.selectFrom('pack').selectAll().orderBy('name').execute()
  return rows.map(({ name, version, updated_at: at, records, skipped, state, problem, progress }) => ({
    name,
    version,
    age: records > 0 ? ageOf(Date.now() - at.getTime()) : '',
    updateTime: records > 0 ? at.toISOString() : null,
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
