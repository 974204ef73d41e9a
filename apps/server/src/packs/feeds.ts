import type { ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/insights'
import type { Ctx } from '#ctx.ts'

const states = { STATE_READY: 'STATE_READY', STATE_EMPTY: 'STATE_EMPTY', STATE_FAILED: 'STATE_FAILED' } as const

/** What the product knows, by pack. */
export async function listFeeds(ctx: Ctx): Promise<ResultOf<typeof contract.listFeeds>> {
  const rows = await ctx.tx.selectFrom('pack').selectAll().orderBy('name').execute()
  const feeds = rows.map((row) => ({
    name: row.name,
    version: row.version,
    records: row.records,
    updateTime: row.updated_at.toISOString(),
    state: Object.values(states).find((state) => state === row.state) ?? 'STATE_FAILED',
  }))
  return { feeds }
}
