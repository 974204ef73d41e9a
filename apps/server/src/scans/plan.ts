import type { ScanHost } from '@glacis/contract/runner'
import { expand, isProblem, parseAddress, resolveName } from '@glacis/scanner'
import { scanActor } from '#ctx.ts'
import { inAccount } from '#database/index.ts'
import type { Work } from '#jobs.ts'
import { advance, counted, fail, lockActive, say } from '#scans/lifecycle.ts'
import type { Scanning } from '#scans/run.ts'

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
    if (scan?.status !== 'STATUS_CREATED') return null
    return ctx.tx
      .selectFrom('target')
      .select(['address', 'kind'])
      .where('account_id', '=', account)
      .where('id', '=', scan.target_id)
      .executeTakeFirst()
  })
  if (!target) return
  const outcome = await hostsOf(target.address)
  await inAccount(scanning.database, as, async (ctx) => {
    const scan = await lockActive(ctx, scanId)
    if (scan?.status !== 'STATUS_CREATED') return
    if (typeof outcome === 'string') return fail(ctx, scanId, outcome)
    const batches = split(outcome)
    await ctx.tx
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
      .execute()
    await ctx.tx
      .updateTable('scan')
      .set({
        status: 'STATUS_RUNNING',
        phase: 'PHASE_DISCOVERY',
        hosts_total: outcome.length,
        started_at: ctx.now,
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
      `Started: ${counted(outcome.length, 'address', 'addresses')} in ${counted(batches.length, 'batch', 'batches')}`,
    )
    await advance(ctx, scanning.jobs, scanId)
  })
}

/** The hosts of an address, or why there are none, in words. Names are resolved here, once, and stay so for the scan. */
async function hostsOf(text: string): Promise<ScanHost[] | string> {
  const address = parseAddress(text)
  if (isProblem(address)) return address.problem
  const isName = address.kind === 'HOST_NAME' || (address.kind === 'URL' && !/^[\d.]+$|:/.test(address.host))
  if (!isName) return [...expand(address)].map((one) => ({ address: one, names: [] }))
  const outcome = await resolveName(address.host, { signal: AbortSignal.timeout(resolveMs) })
  if (outcome.kind === 'failure') return `The name ${address.host} could not be resolved: ${outcome.reason}`
  return outcome.addresses.map((one) => ({ address: one, names: [address.host] }))
}

function split(hosts: readonly ScanHost[]): ScanHost[][] {
  const batches: ScanHost[][] = []
  for (let from = 0; from < hosts.length; from += hostsPerBatch) batches.push(hosts.slice(from, from + hostsPerBatch))
  return batches
}
