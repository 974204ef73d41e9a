import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type { connectAgent } from '@glacis/contract/runner'
import type { Ctx } from '#ctx.ts'
import { storable } from '#database/text.ts'
import { isConnected } from '#agents/describe.ts'
import { ApiError } from '#errors.ts'

/**
 * Rejects a process on another machine that uses the key of a connected agent, for example from a
 * copied directory: two processes would return each other's work. A process on the same machine
 * counts as a restart.
 *
 * @throws ApiError `unavailable` until the first process disconnects or times out; the agent
 * retries
 */
export async function rejectDuplicateProcess(
  ctx: Ctx,
  agentId: string,
  { instance, hostname }: ParsedInputOf<typeof connectAgent>,
): Promise<void> {
  const first = await ctx.tx
    .selectFrom('agent')
    .innerJoin('agent_connection as connection', (join) =>
      join.onRef('connection.account_id', '=', 'agent.account_id').onRef('connection.id', '=', 'agent.connection_id'),
    )
    .select(['agent.connection_id', 'agent.last_seen_at', 'agent.instance_id', 'agent.hostname', 'connection.address'])
    .where('agent.account_id', '=', ctx.workspace)
    .where('agent.id', '=', agentId)
    .executeTakeFirst()
  if (!first || !isConnected(first, ctx.now) || first.instance_id === instance) return
  if (first.hostname === storable(hostname) && first.address === ctx.actor.ip) return
  ctx.log.warn({ agentId, first: first.address, second: ctx.actor.ip }, 'second process of an agent rejected')
  throw new ApiError(
    'unavailable',
    `Another process is already running as this agent on ${first.hostname} (${first.address}). Stop it, or register a separate agent for this machine`,
  )
}
