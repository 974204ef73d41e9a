import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type { connectAgent } from '@glacis/contract/runner'
import type { Ctx } from '#ctx.ts'
import { storable } from '#database/text.ts'
import { isConnected } from '#agents/describe.ts'
import { Refusal } from '#errors.ts'

/**
 * Holds off a process on another machine that has the key of an agent which is here, as a copy of its folder has: side
 * by side they would give back what the other works on. One on the same machine is the agent started anew.
 *
 * @throws Refusal `unavailable` until the first one has left or fallen silent: an agent tries again
 */
export async function refuseSecond(
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
    .where('agent.account_id', '=', ctx.account)
    .where('agent.id', '=', agentId)
    .executeTakeFirst()
  if (!first || !isConnected(first, ctx.now) || first.instance_id === instance) return
  if (first.hostname === storable(hostname) && first.address === ctx.actor.ip) return
  ctx.log.warn({ agentId, first: first.address, second: ctx.actor.ip }, 'second process of an agent held off')
  throw new Refusal(
    'unavailable',
    `Another process runs as this agent on ${first.hostname} (${first.address}); stop it, or make an agent of its own for this machine`,
  )
}
