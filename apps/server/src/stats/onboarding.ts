import type { ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/insights'
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

/**
 * Setup progress, derived from what exists: a target, an agent if one is wanted, a completed scan,
 * a notification channel.
 */
export async function onboarding(ctx: Ctx): Promise<ResultOf<typeof contract.getOnboarding>> {
  const { rows } = await sql<{ target: boolean; agent: boolean; hasScanned: boolean; scan: boolean; channel: boolean }>`
    select
      exists (select from target where account_id = ${ctx.workspace} and deleted_at is null) as target,
      exists (select from agent where account_id = ${ctx.workspace} and last_seen_at is not null) as agent,
      exists (select from scan where account_id = ${ctx.workspace}) as "hasScanned",
      exists (select from scan where account_id = ${ctx.workspace} and status = 'STATUS_COMPLETED') as scan,
      exists (select from channel where account_id = ${ctx.workspace} and is_enabled) as channel`.execute(ctx.tx)
  const { target = false, agent = false, hasScanned = false, scan = false, channel = false } = rows[0] ?? {}
  const stateOf = (isDone: boolean) => (isDone ? ('STATE_DONE' as const) : ('STATE_OPEN' as const))
  return {
    steps: [
      { key: 'TARGET', state: stateOf(target) },
      // A user who started a scan without an agent doesn't need one.
      { key: 'AGENT', state: agent ? 'STATE_DONE' : hasScanned ? 'STATE_SKIPPED' : 'STATE_OPEN' },
      { key: 'SCAN', state: stateOf(scan) },
      { key: 'NOTIFICATIONS', state: stateOf(channel) },
    ],
  }
}
