import type { ScanHost } from '@glacis/contract/runner'
import { expand, isExcluded, isProblem, parseAddress, resolveName } from '@glacis/scanner'
import { scanActor } from '#ctx.ts'
import { inAccount } from '#database/index.ts'
import type { Work } from '#jobs.ts'
import { exclusionsOf } from '#scans/job.ts'
import { advance, announceScan, counted, fail, lockActive, mustWait, say } from '#scans/lifecycle.ts'
import type { Scanning } from '#scans/run.ts'
import { noteResolution } from '#targets/index.ts'

/**
 * Hosts of one batch. Each host is asked gently, so speed comes from many at a time; fewer than
 * this and a network takes long, more and its first results show late.
 */
const hostsPerBatch = 64
const resolveMs = 10_000

/** Turns the target of a created scan into batches of hosts and queues the first of them. Running it again does nothing. */
export async function planScan(scanning: Scanning, { data }: Work<'scan-plan'>): Promise<void> {
  const { account, scanId } = data
  const as = { account, actor: scanActor, log: scanning.log }
  const target = await inAccount(scanning.database, as, async (ctx) => {
    const scan = await lockActive(ctx, scanId)
    if (scan?.status !== 'STATUS_CREATED' || (await mustWait(ctx, scan))) return null
    const row = await ctx.tx
      .selectFrom('target')
      .select(['id', 'address', 'kind', 'exclusions'])
      .where('account_id', '=', account)
      .where('id', '=', scan.target_id)
      .executeTakeFirst()
    return row && { ...row, isRemote: scan.agent_id !== null }
  })
  if (!target) return
  const outcome = await hostsOf(target.address, target.isRemote)
  await inAccount(scanning.database, as, async (ctx) => {
    const scan = await lockActive(ctx, scanId)
    if (scan?.status !== 'STATUS_CREATED') return
    if (isNamed(target.kind) && !target.isRemote) await noteResolution(ctx, target.id, typeof outcome !== 'string')
    if (typeof outcome === 'string') return fail(ctx, scanId, outcome)
    const exclusions = exclusionsOf(target)
    const hosts = outcome.filter((host) => !isExcluded(host.address, exclusions))
    const excluded = outcome.length - hosts.length
    if (hosts.length === 0) return fail(ctx, scanId, 'Every address of the target is excluded')
    const batches = split(hosts)
    const added = await ctx.tx
      .insertInto('scan_batch')
      .values(
        batches.map((hosts, number) => ({
          account_id: account,
          scan_id: scanId,
          number,
          hosts: JSON.stringify(hosts),
          state: 'WAITING' as const,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning('number')
      .execute()
    if (added.length === 0) return
    await ctx.tx
      .updateTable('scan')
      .set({
        // An agent begins when it takes the first batch.
        ...(!target.isRemote && { status: 'STATUS_RUNNING', phase: 'PHASE_DISCOVERY', started_at: ctx.now }),
        hosts_total: hosts.length,
        excluded_hosts: excluded,
        last_activity_at: ctx.now,
        updated_at: ctx.now,
      })
      .where('account_id', '=', account)
      .where('id', '=', scanId)
      .execute()
    await say(
      ctx,
      scanId,
      'LEVEL_INFO',
      `${target.isRemote ? 'Ready for the agent' : 'Started'}: ${counted(hosts.length, 'address', 'addresses')} in ${counted(batches.length, 'batch', 'batches')}`,
    )
    if (excluded > 0)
      await say(ctx, scanId, 'LEVEL_INFO', `${counted(excluded, 'address is', 'addresses are')} excluded and not asked`)
    await announceScan(ctx, scanId, 'EVENT_SCAN_CHANGED')
    await advance(ctx, scanning.jobs, scanId)
  })
}

/**
 * The hosts of an address, or why there are none, in words. Names are resolved here, once, and stay
 * so for the scan; only those of a remote network are left to the agent there.
 */
async function hostsOf(text: string, isRemote: boolean): Promise<ScanHost[] | string> {
  const address = parseAddress(text)
  if (isProblem(address)) return address.problem
  const isName = address.kind === 'HOST_NAME' || (address.kind === 'URL' && !/^[\d.]+$|:/.test(address.host))
  if (!isName) return [...expand(address)].map((one) => ({ address: one, names: [] }))
  if (isRemote) return [{ address: address.host, names: [address.host] }]
  const outcome = await resolveName(address.host, { signal: AbortSignal.timeout(resolveMs) })
  if (outcome.kind === 'failure') return `The name ${address.host} could not be resolved: ${outcome.reason}`
  return outcome.addresses.map((one) => ({ address: one, names: [address.host] }))
}

/** Kinds of targets that may be names. */
function isNamed(kind: string): boolean {
  return kind === 'HOST_NAME' || kind === 'URL'
}

function split(hosts: readonly ScanHost[]): ScanHost[][] {
  const batches: ScanHost[][] = []
  for (let from = 0; from < hosts.length; from += hostsPerBatch) batches.push(hosts.slice(from, from + hostsPerBatch))
  return batches
}
