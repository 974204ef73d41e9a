/** Scans run by agents: progress reports and results of leased batches. */
import { isIP } from 'node:net'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import {
  Observation,
  type progressAgentJob,
  type reportAgentJob,
  runnerLimits,
  type ScanHost,
} from '@glacis/contract/runner'
import type { Ctx } from '#ctx.ts'
import { storable } from '#database/text.ts'
import { invalid, notFound, ApiError } from '#errors.ts'
import { ingest } from '#scans/ingest.ts'
import { endLease, expiryOf, findLease, type Lease, returnBatch } from '#scans/lease.ts'
import { failScan, lockActive } from '#scans/lifecycle.ts'
import type { Scanning } from '#scans/run.ts'
import { countHosts } from '#scans/batch-monitor.ts'
import { recordResolution } from '#targets/index.ts'
import { sql } from 'kysely'
import { z } from 'zod'

/** Maximum number of addresses per hostname, matching the scanner's limit. */
const addressesPerName = 8

/**
 * Renews a lease and stores the batch's progress.
 *
 * @returns isCancelled if the scan was canceled
 * @throws ApiError `not_found` for a job that this agent never had; `conflict` for one whose lease
 * it lost
 */
export async function progressBatch(
  ctx: Ctx,
  agentId: string,
  input: ParsedInputOf<typeof progressAgentJob>,
): Promise<ResultOf<typeof progressAgentJob>> {
  const lease = await findLease(ctx, agentId, input.id)
  if (!lease) throw notFound('job', input.id)
  const scan = await lockActive(ctx, lease.scan_id)
  if (!scan) {
    await endLease(ctx, lease.id, 'STATE_CANCELLED', 'The scan has ended')
    return { isCancelled: true }
  }
  const renewed = await ctx.tx
    .updateTable('scan_lease')
    .set({ expires_at: expiryOf(ctx) })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', lease.id)
    .where('state', '=', 'STATE_RUNNING')
    .returning('id')
    .executeTakeFirst()
  if (!renewed) throw leaseLost()
  await ctx.tx
    .updateTable('scan')
    .set({ last_activity_at: ctx.now, ...(input.phase && { phase: input.phase }) })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scan.id)
    .execute()
  if (input.hostsDone !== undefined) await recordDone(ctx, lease, input.hostsDone)
  return { isCancelled: false }
}

async function recordDone(ctx: Ctx, { scan_id, number }: Lease, hostsDone: number): Promise<void> {
  const moved = await ctx.tx
    .updateTable('scan_batch')
    .set({ hosts_done: sql`least(${hostsDone}::int, jsonb_array_length(hosts))` })
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', scan_id)
    .where('number', '=', number)
    .where('state', '!=', 'DONE')
    .where('hosts_done', '!=', hostsDone)
    .returning('number')
    .executeTakeFirst()
  if (moved) await countHosts(ctx, scan_id)
}

/**
 * Stores a part of a result, and writes the whole batch after the last part. Duplicate parts, and
 * parts of a scan that has ended, have no effect.
 *
 * @throws ApiError `not_found` and `conflict` as for progress; `invalid` for parts that are
 * missing, too large, or about addresses outside the batch
 */
export async function reportBatch(
  ctx: Ctx,
  scanning: Pick<Scanning, 'jobs' | 'knowledge'>,
  agentId: string,
  input: ParsedInputOf<typeof reportAgentJob>,
): Promise<Record<string, never>> {
  const known = await findLease(ctx, agentId, input.id)
  if (!known) throw notFound('job', input.id)
  if (known.state === 'STATE_DONE') return {}
  const scan = await lockActive(ctx, known.scan_id)
  if (!scan) {
    await endLease(ctx, known.id, 'STATE_CANCELLED', 'The scan has ended')
    return {}
  }
  const lease = await findLease(ctx, agentId, input.id)
  if (lease?.state === 'STATE_DONE') return {}
  if (lease?.state !== 'STATE_RUNNING') throw leaseLost()
  if (input.isLast && input.error) {
    await returnBatch(ctx, lease, 'STATE_FAILED', storable(input.error))
    return {}
  }
  await storePart(ctx, lease, input)
  if (input.isLast) await finishBatch(ctx, scanning, lease, input.part)
  return {}
}

async function storePart(ctx: Ctx, lease: Lease, input: ParsedInputOf<typeof reportAgentJob>): Promise<void> {
  const observations = JSON.stringify(input.observations)
  const stored = await ctx.tx
    .insertInto('scan_lease_part')
    .values({ account_id: ctx.workspace, lease_id: lease.id, part: input.part, observations })
    .onConflict((conflict) => conflict.doNothing())
    .returning('part')
    .executeTakeFirst()
  if (!stored) return
  const { result_bytes } = await ctx.tx
    .updateTable('scan_lease')
    .set((set) => ({
      expires_at: expiryOf(ctx),
      result_bytes: set('result_bytes', '+', Buffer.byteLength(observations)),
    }))
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', lease.id)
    .returning('result_bytes')
    .executeTakeFirstOrThrow()
  if (result_bytes > runnerLimits.resultBytesMax) throw invalid('observations', "The job's result is too large")
}

async function finishBatch(
  ctx: Ctx,
  { jobs, knowledge }: Pick<Scanning, 'jobs' | 'knowledge'>,
  lease: Lease,
  lastPart: number,
): Promise<void> {
  const parts = await ctx.tx
    .selectFrom('scan_lease_part')
    .select(['part', 'observations'])
    .where('account_id', '=', ctx.workspace)
    .where('lease_id', '=', lease.id)
    .orderBy('part')
    .execute()
  if (parts.length !== lastPart + 1)
    throw invalid('part', `Only ${parts.length} of ${lastPart + 1} parts were received`)
  const observations = parts.flatMap((part) => z.array(Observation).parse(JSON.parse(part.observations, storableValue)))
  const { hosts } = await ctx.tx
    .selectFrom('scan_batch')
    .select('hosts')
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', lease.scan_id)
    .where('number', '=', lease.number)
    .executeTakeFirstOrThrow()
  const batchAddresses = addressesOf(hosts, observations)
  rejectForeign(batchAddresses, hosts, observations)
  await endLease(ctx, lease.id, 'STATE_DONE')
  if (await failIfUnresolved(ctx, lease, hosts, observations)) return
  await ingest(ctx, jobs, {
    scanId: lease.scan_id,
    number: lease.number,
    hosts: batchAddresses,
    observations,
    knowledge,
  })
}

/** Removes characters that PostgreSQL can't store from the responses of hostile hosts. */
function storableValue(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value
}

/** The addresses of a batch, including those the agent resolved its names to. */
export function addressesOf(hosts: readonly ScanHost[], observations: readonly Observation[]): ScanHost[] {
  return hosts.flatMap((host) => {
    if (isAddress(host.address)) return [host]
    const resolved = observations
      .filter((item) => item.kind === 'host')
      .filter((item) => isAddress(item.address) && item.names.includes(host.address))
      .map((item) => item.address)
    const addresses = [...new Set(resolved)].slice(0, addressesPerName)
    return addresses.length > 0 ? addresses.map((address) => ({ address, names: [host.address] })) : [host]
  })
}

/**
 * Records whether the agent could resolve the target's name. Without an address, there is nothing to
 * scan.
 *
 * @returns true if the scan failed because of it
 */
async function failIfUnresolved(
  ctx: Ctx,
  { scan_id: scanId }: Lease,
  hosts: readonly ScanHost[],
  observations: readonly Observation[],
): Promise<boolean> {
  const named = hosts.find((host) => !isAddress(host.address))
  if (!named) return false
  const unresolved = observations.filter((item) => item.kind === 'host').find((item) => item.address === named.address)
  const scan = await ctx.tx
    .selectFrom('scan')
    .select(['target_id', 'agent_name'])
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', scanId)
    .executeTakeFirstOrThrow()
  await recordResolution(ctx, scan.target_id, !unresolved)
  if (!unresolved) return false
  const where = `Agent ${scan.agent_name} could not resolve ${named.address}`
  await failScan(ctx, scanId, `${where}: ${unresolved.reason}`)
  return true
}

/**
 * Whether PostgreSQL accepts the address. Zone IDs are excluded, because they are only valid on one
 * machine.
 */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%')
}

/** @throws ApiError `invalid` for an observation outside the batch, or without a valid address */
function rejectForeign(
  batchAddresses: readonly ScanHost[],
  hosts: readonly ScanHost[],
  observations: readonly Observation[],
): void {
  const ownAddresses = new Set([...batchAddresses, ...hosts].map((host) => host.address))
  for (const item of observations) {
    if (!('address' in item) || item.address === undefined) continue
    const isSilent = item.kind === 'problem' || (item.kind === 'host' && !item.reached)
    if (ownAddresses.has(item.address) && (isSilent || isAddress(item.address))) continue
    throw invalid('observations', `${item.address} is not part of this job`)
  }
}

function leaseLost(): ApiError {
  return new ApiError('conflict', "The job's lease was taken over by another agent; the result was discarded")
}
