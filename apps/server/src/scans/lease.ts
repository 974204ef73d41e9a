/** Leases of batches by agents: holder, expiry, and recovery of lost batches. */
import type { AgentJobState, listAgentJobs as listAgentJobsCall } from '@glacis/contract/agent'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import { getAgent } from '#agents/index.ts'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage } from '#database/page.ts'
import { storable } from '#database/text.ts'
import { failScan, lockActive, logScanEvent } from '#scans/lifecycle.ts'

/** A lease expires if it isn't renewed for this long. */
export const leaseSeconds = 60

/** The expiry of a lease that starts or is renewed now. */
export function expiryOf(ctx: Ctx): Date {
  return new Date(ctx.now.getTime() + leaseSeconds * 1000)
}

/**
 * When a lease counts as expired: its expiry is before `earliest`, or after `latest`. A lease that lasts that long was granted
 * while the clock was wrong, and would otherwise block its batch for as long.
 */
export function validExpiry(now: Date): { readonly earliest: Date; readonly latest: Date } {
  return { earliest: now, latest: new Date(now.getTime() + 2 * leaseSeconds * 1000) }
}

/** A scan fails if one of its batches is lost this often. */
const lossesMax = 2

export interface Lease {
  readonly id: string
  readonly agent_id: string
  readonly scan_id: string
  readonly number: number
  readonly state: AgentJobState
}

/** A lease of this agent; undefined if the agent never had it. */
export function findLease(ctx: Ctx, agentId: string, id: string): Promise<Lease | undefined> {
  return ctx.tx
    .selectFrom('scan_lease')
    .select(['id', 'agent_id', 'scan_id', 'number', 'state'])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', agentId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/**
 * Ends an active lease and deletes the partial result.
 *
 * @returns false if it had already ended
 */
export async function endLease(ctx: Ctx, id: string, state: AgentJobState, error = ''): Promise<boolean> {
  const ended = await ctx.tx
    .updateTable('scan_lease')
    .set({ state, error: storable(error), ended_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .where('state', '=', 'STATE_RUNNING')
    .returning('id')
    .executeTakeFirst()
  if (ended) {
    await ctx.tx
      .deleteFrom('scan_lease_part')
      .where('account_id', '=', ctx.workspace)
      .where('lease_id', '=', id)
      .execute()
  }
  return ended !== undefined
}

/**
 * Ends a lease so that the batch can be leased again. A clean return doesn't count as an attempt; a lost or failed
 * batch is retried once, then the scan fails with the reason.
 */
export async function returnBatch(
  ctx: Ctx,
  lease: Lease,
  state: 'STATE_RETURNED' | 'STATE_LOST' | 'STATE_FAILED',
  reason: string,
): Promise<void> {
  const scan = await lockActive(ctx, lease.scan_id)
  if (!scan) return void (await endLease(ctx, lease.id, 'STATE_CANCELLED', 'The scan has ended'))
  if (!(await endLease(ctx, lease.id, state, reason))) return
  const { attempt } = await ctx.tx
    .updateTable('scan_batch')
    .set((set) => ({
      state: 'WAITING',
      hosts_done: 0,
      ...(state === 'STATE_RETURNED' && { attempt: set('attempt', '-', 1) }),
    }))
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', lease.scan_id)
    .where('number', '=', lease.number)
    .returning('attempt')
    .executeTakeFirstOrThrow()
  const message = `Agent ${scan.agent_name} returned batch ${lease.number + 1}: ${reason}`
  if (state === 'STATE_RETURNED' || attempt < lossesMax) return logScanEvent(ctx, lease.scan_id, 'LEVEL_WARN', message)
  await failScan(ctx, lease.scan_id, `Agent ${scan.agent_name} failed batch ${lease.number + 1} twice: ${reason}`)
}

/** Returns all batches leased to an agent, in the order in which scans are locked. */
export async function returnAllBatches(
  ctx: Ctx,
  agentId: string,
  state: 'STATE_RETURNED' | 'STATE_LOST',
  reason: string,
): Promise<void> {
  for (const lease of await leasesOf(ctx, agentId)) await returnBatch(ctx, lease, state, reason)
}

/** Returns the batches whose leases this agent didn't renew in time. */
export async function returnExpiredBatches(ctx: Ctx, agentId: string): Promise<void> {
  const { earliest, latest } = validExpiry(ctx.now)
  const leases = await leasesOf(ctx, agentId)
  const expired = leases.filter(({ expires_at }) => expires_at <= earliest || expires_at > latest)
  for (const lease of expired) await returnBatch(ctx, lease, 'STATE_LOST', 'the agent stopped responding')
}

/** Moves the scans of a deleted agent to the replacement, or fails them if there is none. */
export async function reassignScans(ctx: Ctx, agentId: string, replacementId: string | undefined): Promise<void> {
  if (replacementId) {
    const { agent } = await getAgent(ctx, { id: replacementId })
    await returnAllBatches(ctx, agentId, 'STATE_RETURNED', 'the agent was deleted')
    await ctx.tx
      .updateTable('scan')
      .set({ agent_id: replacementId, agent_name: agent.name, updated_at: ctx.now })
      .where('account_id', '=', ctx.workspace)
      .where('agent_id', '=', agentId)
      .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
      .execute()
    return
  }
  const scans = await ctx.tx
    .selectFrom('scan')
    .select(['id', 'agent_name'])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', agentId)
    .where('status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .orderBy('id')
    .execute()
  for (const scan of scans) await failScan(ctx, scan.id, `Agent ${scan.agent_name} was deleted`)
  for (const lease of await leasesOf(ctx, agentId))
    await endLease(ctx, lease.id, 'STATE_CANCELLED', 'The agent was deleted')
}

/** @throws ApiError `not_found` */
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
    .where('lease.account_id', '=', ctx.workspace)
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

function leasesOf(ctx: Ctx, agentId: string): Promise<(Lease & { expires_at: Date })[]> {
  return ctx.tx
    .selectFrom('scan_lease')
    .select(['id', 'agent_id', 'scan_id', 'number', 'state', 'expires_at'])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', agentId)
    .where('state', '=', 'STATE_RUNNING')
    .orderBy('scan_id')
    .orderBy('number')
    .execute()
}
