/** Scans that an agent runs: it takes a batch, says how far it is, and brings what it saw. */
import { isIP } from 'node:net'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import {
  Observation,
  type progressAgentJob,
  type reportAgentJob,
  type RunnerJob,
  runnerLimits,
  type ScanHost,
  ScanJob,
} from '@glacis/contract/runner'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { storable } from '#database/text.ts'
import { invalid, notFound, Refusal } from '#errors.ts'
import { ingest } from '#scans/ingest.ts'
import { endLease, findLease, type Lease, leaseSeconds, takeBack, takeBackExpired } from '#scans/lease.ts'
import { lockActive, mustWait, say } from '#scans/lifecycle.ts'
import { jobOf } from '#scans/job.ts'
import { narrowed } from '#scans/retest.ts'
import type { Scanning } from '#scans/run.ts'
import { countHosts, knownPorts } from '#scans/watch.ts'
import { sql } from 'kysely'
import { z } from 'zod'

/** Addresses that one host name may turn out to have, as the scanner bounds them. */
const addressesPerName = 8

/**
 * Leases the next batch of the scans that wait for this agent. Null when there is none.
 *
 * @param packs digest of the packs that the agent shall scan with
 */
export async function leaseBatch(
  ctx: Ctx,
  scanning: Scanning,
  agentId: string,
  packs: string,
): Promise<RunnerJob | null> {
  await takeBackExpired(ctx, agentId)
  const claimed = await claim(ctx, agentId)
  if (!claimed) return null
  const { id, scan, batch } = claimed
  if (scan.status === 'STATUS_CREATED') await begin(ctx, scan)
  const target = await ctx.tx
    .selectFrom('target')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where('id', '=', scan.target_id)
    .executeTakeFirstOrThrow()
  const known = await knownPorts(ctx, target.id, batch.hosts)
  const job = narrowed(jobOf(scanning, batch.hosts, target), { checks: scan.checks, known })
  const { hosts, allow: _, ...settings } = ScanJob.parse(job)
  const { networks } = scanning
  return {
    id,
    scanId: scan.id,
    hosts,
    settings,
    knownOpen: known,
    packs,
    leaseDuration: `${leaseSeconds}s`,
    // `public` is about the server's own network; an agent is there for those that are not.
    ...(typeof networks !== 'string' && { networks: [...networks] }),
  }
}

/** How often another was quicker before one that asks is told that there is nothing. */
const claimsMax = 5

async function claim(ctx: Ctx, agentId: string) {
  for (let attempt = 0; attempt < claimsMax; attempt++) {
    const next = await nextBatch(ctx, agentId)
    if (!next) return null
    const scan = await lockActive(ctx, next.scan_id)
    // Outside its allowed hours a scan pauses between batches, wherever it runs.
    if (!scan || (await mustWait(ctx, scan))) continue
    const batch = await beginBatch(ctx, next)
    if (!batch) continue
    const id = newId()
    await ctx.tx
      .insertInto('scan_lease')
      .values({
        account_id: ctx.account,
        id,
        agent_id: agentId,
        ...next,
        state: 'STATE_RUNNING',
        expires_at: expiry(ctx),
        started_at: ctx.now,
        ended_at: null,
      })
      .execute()
    return { id, scan, batch }
  }
  return null
}

/** Looked for without a lock: whoever locks the scan first gets it. */
function nextBatch(ctx: Ctx, agentId: string): Promise<{ scan_id: string; number: number } | undefined> {
  return ctx.tx
    .selectFrom('scan_batch')
    .innerJoin('scan', (join) =>
      join.onRef('scan.account_id', '=', 'scan_batch.account_id').onRef('scan.id', '=', 'scan_batch.scan_id'),
    )
    .select(['scan_batch.scan_id', 'scan_batch.number'])
    .where('scan.account_id', '=', ctx.account)
    .where('scan.agent_id', '=', agentId)
    .where('scan.status', 'in', ['STATUS_CREATED', 'STATUS_RUNNING'])
    .where('scan.resume_at', 'is', null)
    .where('scan_batch.state', '=', 'WAITING')
    .orderBy('scan.id')
    .orderBy('scan_batch.number')
    .limit(1)
    .executeTakeFirst()
}

function beginBatch(ctx: Ctx, { scan_id, number }: { scan_id: string; number: number }) {
  return ctx.tx
    .updateTable('scan_batch')
    .set((set) => ({ state: 'QUEUED', attempt: set('attempt', '+', 1) }))
    .where('account_id', '=', ctx.account)
    .where('scan_id', '=', scan_id)
    .where('number', '=', number)
    .where('state', '=', 'WAITING')
    .returning('hosts')
    .executeTakeFirst()
}

async function begin(ctx: Ctx, scan: { id: string; agent_name: string }): Promise<void> {
  await ctx.tx
    .updateTable('scan')
    .set({
      status: 'STATUS_RUNNING',
      phase: 'PHASE_DISCOVERY',
      started_at: ctx.now,
      last_activity_at: ctx.now,
      updated_at: ctx.now,
    })
    .where('account_id', '=', ctx.account)
    .where('id', '=', scan.id)
    .execute()
  await say(ctx, scan.id, 'LEVEL_INFO', `Taken on by agent ${scan.agent_name}`)
}

/**
 * Renews a lease and notes how far its batch is.
 *
 * @returns isCancelled when the scan is wanted no more
 * @throws Refusal `not_found` for a job that this agent never had; `conflict` for one that it holds no more
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
    await endLease(ctx, lease.id, 'STATE_CANCELLED', 'The scan had ended')
    return { isCancelled: true }
  }
  const renewed = await ctx.tx
    .updateTable('scan_lease')
    .set({ expires_at: expiry(ctx) })
    .where('account_id', '=', ctx.account)
    .where('id', '=', lease.id)
    .where('state', '=', 'STATE_RUNNING')
    .returning('id')
    .executeTakeFirst()
  if (!renewed) throw heldNoMore()
  await ctx.tx
    .updateTable('scan')
    .set({ last_activity_at: ctx.now, ...(input.phase && { phase: input.phase }) })
    .where('account_id', '=', ctx.account)
    .where('id', '=', scan.id)
    .execute()
  if (input.hostsDone !== undefined) await noteDone(ctx, lease, input.hostsDone)
  return { isCancelled: false }
}

async function noteDone(ctx: Ctx, { scan_id, number }: Lease, hostsDone: number): Promise<void> {
  const moved = await ctx.tx
    .updateTable('scan_batch')
    .set({ hosts_done: sql`least(${hostsDone}::int, jsonb_array_length(hosts))` })
    .where('account_id', '=', ctx.account)
    .where('scan_id', '=', scan_id)
    .where('number', '=', number)
    .where('state', '!=', 'DONE')
    .where('hosts_done', '!=', hostsDone)
    .returning('number')
    .executeTakeFirst()
  if (moved) await countHosts(ctx, scan_id)
}

/**
 * Takes a part of a result; with the last one the whole batch is written. What arrives twice, or
 * when the scan has ended, changes nothing.
 *
 * @throws Refusal `not_found` and `conflict` as for progress; `invalid` for parts that are missing,
 *   too large, or about addresses that are no part of the batch
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
    await endLease(ctx, known.id, 'STATE_CANCELLED', 'The scan had ended')
    return {}
  }
  const lease = await findLease(ctx, agentId, input.id)
  if (lease?.state === 'STATE_DONE') return {}
  if (lease?.state !== 'STATE_RUNNING') throw heldNoMore()
  if (input.isLast && input.error) {
    await takeBack(ctx, lease, 'STATE_FAILED', storable(input.error))
    return {}
  }
  await keepPart(ctx, lease, input)
  if (input.isLast) await finish(ctx, scanning, lease, input.part)
  return {}
}

async function keepPart(ctx: Ctx, lease: Lease, input: ParsedInputOf<typeof reportAgentJob>): Promise<void> {
  const observations = JSON.stringify(input.observations)
  const kept = await ctx.tx
    .insertInto('scan_lease_part')
    .values({ account_id: ctx.account, lease_id: lease.id, part: input.part, observations })
    .onConflict((conflict) => conflict.doNothing())
    .returning('part')
    .executeTakeFirst()
  if (!kept) return
  const { result_bytes } = await ctx.tx
    .updateTable('scan_lease')
    .set((set) => ({
      expires_at: expiry(ctx),
      result_bytes: set('result_bytes', '+', Buffer.byteLength(observations)),
    }))
    .where('account_id', '=', ctx.account)
    .where('id', '=', lease.id)
    .returning('result_bytes')
    .executeTakeFirstOrThrow()
  if (result_bytes > runnerLimits.resultBytesMax) throw invalid('observations', 'The result of this job is too large')
}

async function finish(
  ctx: Ctx,
  { jobs, knowledge }: Pick<Scanning, 'jobs' | 'knowledge'>,
  lease: Lease,
  lastPart: number,
): Promise<void> {
  const parts = await ctx.tx
    .selectFrom('scan_lease_part')
    .select(['part', 'observations'])
    .where('account_id', '=', ctx.account)
    .where('lease_id', '=', lease.id)
    .orderBy('part')
    .execute()
  if (parts.length !== lastPart + 1) throw invalid('part', `Of ${lastPart + 1} parts only ${parts.length} have come`)
  const observations = parts.flatMap((part) => z.array(Observation).parse(JSON.parse(part.observations, withoutNul)))
  const { hosts } = await ctx.tx
    .selectFrom('scan_batch')
    .select('hosts')
    .where('account_id', '=', ctx.account)
    .where('scan_id', '=', lease.scan_id)
    .where('number', '=', lease.number)
    .executeTakeFirstOrThrow()
  const places = placesOf(hosts, observations)
  refuseForeign(places, hosts, observations)
  await endLease(ctx, lease.id, 'STATE_DONE')
  await ingest(ctx, jobs, { scanId: lease.scan_id, number: lease.number, hosts: places, observations, knowledge })
}

/** What a hostile host says may hold a NUL, which PostgreSQL does not take. */
function withoutNul(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value
}

/** The addresses of a batch; a name stands for those that the agent found under it. */
export function placesOf(hosts: readonly ScanHost[], observations: readonly Observation[]): ScanHost[] {
  return hosts.flatMap((host) => {
    if (isIP(host.address)) return [host]
    const found = observations
      .filter((one) => one.kind === 'host')
      .filter((one) => isIP(one.address) && one.names.includes(host.address))
      .map((one) => one.address)
    const addresses = [...new Set(found)].slice(0, addressesPerName)
    return addresses.length > 0 ? addresses.map((address) => ({ address, names: [host.address] })) : [host]
  })
}

/** @throws Refusal `invalid` for an observation about something else than the batch */
function refuseForeign(
  places: readonly ScanHost[],
  hosts: readonly ScanHost[],
  observations: readonly Observation[],
): void {
  const ours = new Set([...places, ...hosts].map((host) => host.address))
  for (const one of observations) {
    if (!('address' in one) || one.address === undefined || ours.has(one.address)) continue
    throw invalid('observations', `${one.address} is no part of this job`)
  }
}

function heldNoMore(): Refusal {
  return new Refusal('conflict', 'This job is in other hands now; what it brings is not counted')
}

function expiry(ctx: Ctx): Date {
  return new Date(ctx.now.getTime() + leaseSeconds * 1000)
}
