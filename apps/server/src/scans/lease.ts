/** Batches in the hands of agents: who holds which, until when, and what happens when it is not brought back. */
import type { AgentJobState } from '@glacis/contract/agent'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type { listAgentJobs as listAgentJobsCall } from '@glacis/contract/agent'
import { getAgent } from '#agents/index.ts'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage } from '#database/page.ts'
import { storable } from '#database/text.ts'
import { fail, lockActive, say } from '#scans/lifecycle.ts'

/** A holder that shows no life for so long has lost its batch. */
export const leaseSeconds = 60

/** Until when a lease holds that begins or is renewed now. */
export function expiryOf(ctx: Ctx): Date {
  return new Date(ctx.now.getTime() + leaseSeconds * 1000)
}
/** A batch that was lost so often fails its scan. */
const lossesMax = 2

export interface Lease {
  readonly id: string
  readonly agent_id: string
  readonly scan_id: string
  readonly number: number
  readonly state: AgentJobState
}

/** A lease of this agent; undefined when it never had such a one. */
export function findLease(ctx: Ctx, agentId: string, id: string): Promise<Lease | undefined> {
  return ctx.tx
    .selectFrom('scan_lease')
    .select(['id', 'agent_id', 'scan_id', 'number', 'state'])
    .where('account_id', '=', ctx.account)
    .where('agent_id', '=', agentId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/**
 * Ends a lease that still runs and forgets the parts of its result.
 *
 * @returns false when it had ended already
 */
export async function endLease(ctx: Ctx, id: string, state: AgentJobState, error = ''): Promise<boolean> {
  const ended = await ctx.tx
    .updateTable('scan_lease')
    .set({ state, error: storable(error), ended_at: ctx.now })
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .where('state', '=', 'STATE_RUNNING')
    .returning('id')
    .executeTakeFirst()
  if (ended) {
    await ctx.tx
      .deleteFrom('scan_lease_part')
      .where('account_id', '=', ctx.account)
      .where('lease_id', '=', id)
      .execute()
  }
  return ended !== undefined
}

/**
 * Takes a batch back from its holder, so that it can be taken again. A clean return costs nothing;
 * what was lost or failed is tried once more, and then its scan fails with the reason.
 */
export async function takeBack(
  ctx: Ctx,
  lease: Lease,
  state: 'STATE_RETURNED' | 'STATE_LOST' | 'STATE_FAILED',
  reason: string,
): Promise<void> {
  const scan = await lockActive(ctx, lease.scan_id)
  if (!scan) return void (await endLease(ctx, lease.id, 'STATE_CANCELLED', 'The scan had ended'))
  if (!(await endLease(ctx, lease.id, state, reason))) return
  const { attempt } = await ctx.tx
    .updateTable('scan_batch')
    .set((set) => ({
      state: 'WAITING',
      hosts_done: 0,
      ...(state === 'STATE_RETURNED' && { attempt: set('attempt', '-', 1) }),
    }))
    .where('account_id', '=', ctx.account)
    .where('scan_id', '=', lease.scan_id)
    .where('number', '=', lease.number)
    .returning('attempt')
    .executeTakeFirstOrThrow()
  const words = `Batch ${lease.number + 1} came back from agent ${scan.agent_name}: ${reason}`
  if (state === 'STATE_RETURNED' || attempt < lossesMax) return say(ctx, lease.scan_id, 'LEVEL_WARN', words)
  await fail(
    ctx,
    lease.scan_id,
    `Agent ${scan.agent_name} could not finish batch ${lease.number + 1}, twice: ${reason}`,
  )
}

/** Takes back everything that an agent holds, in the order in which scans are locked. */
export async function takeBackAll(
  ctx: Ctx,
  agentId: string,
  state: 'STATE_RETURNED' | 'STATE_LOST',
  reason: string,
): Promise<void> {
  for (const lease of await heldBy(ctx, agentId)) await takeBack(ctx, lease, state, reason)
}

/** Takes back what this agent has not renewed in time. */
export async function takeBackExpired(ctx: Ctx, agentId: string): Promise<void> {
  const expired = (await heldBy(ctx, agentId)).filter((lease) => lease.expires_at <= ctx.now)
  for (const lease of expired) await takeBack(ctx, lease, 'STATE_LOST', 'it fell silent')
}

/**
 * What becomes of the scans of an agent that is being deleted: the replacement goes on with them,
 * or they fail.
 */
export async function partFromAgent(ctx: Ctx, agentId: string, replacementId: string | undefined): Promise<void> {
  if (replacementId) {
    const { agent } = await getAgent(ctx, { id: replacementId })
    await takeBackAll(ctx, agentId, 'STATE_RETURNED', 'the agent was deleted')
    await ctx.tx
      .updateTable('scan')
      .set({ agent_id: replacementId, agent_name: agent.name, updated_at: ctx.now })
      .where('account_id', '=', ctx.account)
      .where('agent_id', '=', agentId)
      .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
      .execute()
    return
  }
  const scans = await ctx.tx
    .selectFrom('scan')
    .select(['id', 'agent_name'])
    .where('account_id', '=', ctx.account)
    .where('agent_id', '=', agentId)
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .orderBy('id')
    .execute()
  for (const scan of scans) await fail(ctx, scan.id, `The agent ${scan.agent_name} was deleted`)
  for (const lease of await heldBy(ctx, agentId))
    await endLease(ctx, lease.id, 'STATE_CANCELLED', 'The agent was deleted')
}

/** @throws Refusal `not_found` */
export async function listAgentJobs(
  ctx: Ctx,
  input: ParsedInputOf<typeof listAgentJobsCall>,
): Promise<ResultOf<typeof listAgentJobsCall>> {
  await getAgent(ctx, input)
  const page = readPage(input, ['jobs', input.id])
  let query = ctx.tx
    .selectFrom('scan_lease as lease')
    .innerJoin('scan', (join) =>
      join.onRef('scan.account_id', '=', 'lease.account_id').onRef('scan.id', '=', 'lease.scan_id'),
    )
    .innerJoin('target', (join) =>
      join.onRef('target.account_id', '=', 'scan.account_id').onRef('target.id', '=', 'scan.target_id'),
    )
    .innerJoin('scan_batch as batch', (join) =>
      join
        .onRef('batch.account_id', '=', 'lease.account_id')
        .onRef('batch.scan_id', '=', 'lease.scan_id')
        .onRef('batch.number', '=', 'lease.number'),
    )
    .select(['lease.id', 'lease.scan_id', 'lease.state', 'lease.started_at', 'lease.ended_at', 'lease.error'])
    .select(['target.id as target_id', 'target.name as target_name', 'batch.hosts'])
    .where('lease.account_id', '=', ctx.account)
    .where('lease.agent_id', '=', input.id)
    .orderBy('lease.id', 'desc')
    .limit(page.size + 1)
  if (page.after) query = query.where('lease.id', '<', String(page.after[0]))
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.id])
  const jobs = rows.map((row) => ({
    id: row.id,
    scanId: row.scan_id,
    targetId: row.target_id,
    targetName: row.target_name,
    state: row.state,
    hostCount: row.hosts.length,
    startTime: row.started_at.toISOString(),
    ...(row.ended_at && { endTime: row.ended_at.toISOString() }),
    error: row.error,
  }))
  return { jobs, nextPageToken }
}

function heldBy(ctx: Ctx, agentId: string): Promise<(Lease & { expires_at: Date })[]> {
  return ctx.tx
    .selectFrom('scan_lease')
    .select(['id', 'agent_id', 'scan_id', 'number', 'state', 'expires_at'])
    .where('account_id', '=', ctx.account)
    .where('agent_id', '=', agentId)
    .where('state', '=', 'STATE_RUNNING')
    .orderBy('scan_id')
    .orderBy('number')
    .execute()
}
