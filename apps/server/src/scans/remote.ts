/** Scans that an agent runs: having taken a batch, it says how far it is and brings what it saw. */
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
import { invalid, notFound, Refusal } from '#errors.ts'
import { ingest } from '#scans/ingest.ts'
import { endLease, expiryOf, findLease, type Lease, takeBack } from '#scans/lease.ts'
import { fail, lockActive } from '#scans/lifecycle.ts'
import type { Scanning } from '#scans/run.ts'
import { countHosts } from '#scans/watch.ts'
import { noteResolution } from '#targets/index.ts'
import { sql } from 'kysely'
import { z } from 'zod'

/** Addresses that one host name may turn out to have, as the scanner bounds them. */
const addressesPerName = 8

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
    .set({ expires_at: expiryOf(ctx) })
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
      expires_at: expiryOf(ctx),
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
  const observations = parts.flatMap((part) => z.array(Observation).parse(JSON.parse(part.observations, asStored)))
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
  if (await failUnresolved(ctx, lease, hosts, observations)) return
  await ingest(ctx, jobs, { scanId: lease.scan_id, number: lease.number, hosts: places, observations, knowledge })
}

/** What a hostile host says may hold what PostgreSQL does not take. */
function asStored(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value
}

/** The addresses of a batch; a name stands for those that the agent found under it. */
export function placesOf(hosts: readonly ScanHost[], observations: readonly Observation[]): ScanHost[] {
  return hosts.flatMap((host) => {
    if (isAddress(host.address)) return [host]
    const found = observations
      .filter((one) => one.kind === 'host')
      .filter((one) => isAddress(one.address) && one.names.includes(host.address))
      .map((one) => one.address)
    const addresses = [...new Set(found)].slice(0, addressesPerName)
    return addresses.length > 0 ? addresses.map((address) => ({ address, names: [host.address] })) : [host]
  })
}

/**
 * Notes whether the name of a target was found where the agent is. A name is all that such a target has: without an
 * address there is nothing to scan, here as on the server.
 *
 * @returns true when the scan has failed for it
 */
async function failUnresolved(
  ctx: Ctx,
  { scan_id: scanId }: Lease,
  hosts: readonly ScanHost[],
  observations: readonly Observation[],
): Promise<boolean> {
  const named = hosts.find((host) => !isAddress(host.address))
  if (!named) return false
  const lost = observations.filter((one) => one.kind === 'host').find((one) => one.address === named.address)
  const scan = await ctx.tx
    .selectFrom('scan')
    .select(['target_id', 'agent_name'])
    .where('account_id', '=', ctx.account)
    .where('id', '=', scanId)
    .executeTakeFirstOrThrow()
  await noteResolution(ctx, scan.target_id, !lost)
  if (!lost) return false
  const where = `The name ${named.address} could not be resolved by agent ${scan.agent_name}`
  await fail(ctx, scanId, `${where}: ${lost.reason}`)
  return true
}

/** What the database takes for an address: a zone means something on one machine alone. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%')
}

/** @throws Refusal `invalid` for an observation about something else than the batch, or of what is no address */
function refuseForeign(
  places: readonly ScanHost[],
  hosts: readonly ScanHost[],
  observations: readonly Observation[],
): void {
  const ours = new Set([...places, ...hosts].map((host) => host.address))
  for (const one of observations) {
    if (!('address' in one) || one.address === undefined) continue
    const isSilent = one.kind === 'problem' || (one.kind === 'host' && !one.reached)
    if (ours.has(one.address) && (isSilent || isAddress(one.address))) continue
    throw invalid('observations', `${one.address} is no part of this job`)
  }
}

function heldNoMore(): Refusal {
  return new Refusal('conflict', 'This job is in other hands now; what it brings is not counted')
}
