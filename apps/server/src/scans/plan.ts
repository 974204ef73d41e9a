import type { ScanHost } from '@glacis/contract/runner'
import { expand, isExcluded, isProblem, parseAddress, resolveName } from '@glacis/scanner'
import { scanActor } from '#ctx.ts'
import { inWorkspace } from '#database/index.ts'
import { isPermittedIn } from '#scan-networks.ts'
import type { Work } from '#jobs.ts'
import { batchSizeOf } from '#scans/batch-size.ts'
import { exclusionsOf, type ScanLimits } from '#scans/job.ts'
import {
  queueNextBatches,
  announceScan,
  pluralize,
  failScan,
  lockActive,
  mustWait,
  logScanEvent,
} from '#scans/lifecycle.ts'
import type { Scanning } from '#scans/run.ts'
import { recordResolution } from '#targets/index.ts'

const resolveMs = 10_000

/** Splits the target of a new scan into batches and queues the first ones. Idempotent. */
export async function planScan(scanning: Scanning, { data }: Work<'scan-plan'>): Promise<void> {
  const { account: workspace, scanId } = data
  const as = { workspace, actor: scanActor, log: scanning.log }
  const target = await inWorkspace(scanning.database, as, async (ctx) => {
    const scan = await lockActive(ctx, scanId)
    if (scan?.status !== 'STATUS_CREATED' || (await mustWait(ctx, scan))) return null
    const row = await ctx.tx
      .selectFrom('target')
      .select(['id', 'address', 'kind', 'exclusions', 'ports'])
      .where('account_id', '=', workspace)
      .where('id', '=', scan.target_id)
      .executeTakeFirst()
    return row && { ...row, isRemote: scan.agent_id !== null }
  })
  if (!target) return
  const outcome = await hostsOf(target.address, target.isRemote)
  await inWorkspace(scanning.database, as, async (ctx) => {
    const scan = await lockActive(ctx, scanId)
    if (scan?.status !== 'STATUS_CREATED') return
    if (isNamed(target.kind) && !target.isRemote) await recordResolution(ctx, target.id, typeof outcome !== 'string')
    if (typeof outcome === 'string') return failScan(ctx, scanId, outcome)
    const exclusions = exclusionsOf(target)
    const included = outcome.filter((host) => !isExcluded(host.address, exclusions))
    const excluded = outcome.length - included.length
    if (included.length === 0)
      return failScan(ctx, scanId, 'All addresses of the target are excluded. Change its exclusions')
    const isPermitted = isPermittedIn(target.isRemote ? 'all' : scanning.networks)
    const hosts = included.filter(({ address }) => isPermitted(address))
    if (hosts.length === 0) return failScan(ctx, scanId, notPermittedReason(included.length, scanning))
    const batches = split(hosts, batchSizeOf(target.ports, hosts.length))
    const added = await ctx.tx
      .insertInto('scan_batch')
      .values(
        batches.map((hosts, number) => ({
          account_id: workspace,
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
        // An agent's scan starts when the agent leases the first batch.
        ...(!target.isRemote && { status: 'STATUS_RUNNING', phase: 'PHASE_DISCOVERY', started_at: ctx.now }),
        hosts_total: hosts.length,
        excluded_hosts: excluded,
        last_activity_at: ctx.now,
        updated_at: ctx.now,
      })
      .where('account_id', '=', workspace)
      .where('id', '=', scanId)
      .execute()
    await logScanEvent(
      ctx,
      scanId,
      'LEVEL_INFO',
      `${target.isRemote ? 'Ready for the agent' : 'Started'}: ${pluralize(hosts.length, 'address', 'addresses')} in ${pluralize(batches.length, 'batch', 'batches')}`,
    )
    if (excluded > 0)
      await logScanEvent(
        ctx,
        scanId,
        'LEVEL_INFO',
        `${pluralize(excluded, 'address is', 'addresses are')} excluded from the scan`,
      )
    if (hosts.length < included.length)
      await logScanEvent(ctx, scanId, 'LEVEL_WARN', notPermittedReason(included.length - hosts.length, scanning))
    await announceScan(ctx, scanId, 'EVENT_SCAN_CHANGED')
    await queueNextBatches(ctx, scanning.jobs, scanId)
  })
}

/**
 * The hosts of an address, or the reason why there are none. Names are resolved here once and stay
 * fixed during the scan; only names in a remote network are resolved by the agent.
 */
async function hostsOf(text: string, isRemote: boolean): Promise<ScanHost[] | string> {
  const address = parseAddress(text)
  if (isProblem(address)) return address.problem
  const isName = address.kind === 'HOST_NAME' || (address.kind === 'URL' && !/^[\d.]+$|:/.test(address.host))
  if (!isName) return [...expand(address)].map((item) => ({ address: item, names: [] }))
  if (isRemote) return [{ address: address.host, names: [address.host] }]
  const outcome = await resolveName(address.host, { signal: AbortSignal.timeout(resolveMs) })
  if (outcome.kind === 'failure') return `${address.host} could not be resolved: ${outcome.reason}`
  return outcome.addresses.map((item) => ({ address: item, names: [address.host] }))
}

function notPermittedReason(count: number, { networks }: ScanLimits): string {
  const limit =
    networks === 'public' ? 'permits only public addresses' : `doesn't include ${count === 1 ? 'it' : 'them'}`
  return `${pluralize(count, 'address was', 'addresses were')} not scanned: GLACIS_SCAN_NETWORKS ${limit}`
}

/** Whether targets of this kind can be hostnames. */
function isNamed(kind: string): boolean {
  return kind === 'HOST_NAME' || kind === 'URL'
}

function split(hosts: readonly ScanHost[], size: number): ScanHost[][] {
  const batches: ScanHost[][] = []
  for (let from = 0; from < hosts.length; from += size) batches.push(hosts.slice(from, from + size))
  return batches
}
