import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/scan'
import type { ScannedHost, ScanHostState } from '@glacis/contract/scan'
import type { SeverityCount } from '@glacis/contract/primitives'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage } from '#database/page.ts'
import { getScan } from '#scans/list.ts'
import { type RawBuilder, sql } from 'kysely'

interface Row extends SeverityCount {
  readonly address: string
  readonly name: string | null
  readonly host_id: string | null
  readonly state: ScanHostState
  readonly reason: string
  readonly stopped: ScannedHost['stopped']
}

/**
 * The addresses of a scan, each with its response or the reason why it wasn't reached. Each address
 * has exactly one state, so the counts add up to the number of addresses.
 *
 * @throws ApiError `not_found`
 */
export async function listScanHosts(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listScanHosts>,
): Promise<ResultOf<typeof contract.listScanHosts>> {
  const { scan } = await getScan(ctx, input)
  const { filter = {} } = input
  const page = readPage(input, ['scan hosts', input.id, filter])
  const conditions = [sql`true`]
  if (page.after) conditions.push(sql`address::inet > ${page.after[0]}::inet`)
  if (filter.states?.length) conditions.push(sql`state = any(${filter.states}::text[])`)
  if (filter.query) {
    const like = `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`
    conditions.push(sql`(address ilike ${like} or name ilike ${like} or reason ilike ${like})`)
  }
  const { rows } = await sql<Row>`
    select * from (${scannedAddresses(ctx, input.id)}) as scanned
    where ${sql.join(conditions, sql` and `)}
    order by address::inet
    limit ${page.size + 1}`.execute(ctx.tx)
  const cut = cutPage(page, rows, (row) => [row.address])
  return {
    hosts: cut.rows.map(toHost),
    counts: { ...(await countStates(ctx, input.id)), excluded: scan.hostCount.excludedHosts ?? 0 },
    nextPageToken: cut.nextPageToken,
  }
}

function toHost({ host_id, name, address, state, reason, stopped, ...issueCount }: Row) {
  return { address, ...(name && { name }), ...(host_id && { hostId: host_id }), state, reason, issueCount, stopped }
}

/** Each address of a scan with its state and its active issues when the scan ended. */
function scannedAddresses(ctx: Ctx, scanId: string): RawBuilder<unknown> {
  return sql`
    select scan_host.address, host.name, scan_host.host_id, scan_host.reason, scan_host.stopped,
           case
             when active.total > 0 then 'STATE_AFFECTED'
             when scan_host.reached and scan_host.host_id is not null then 'STATE_SCANNED'
             when scan_host.reached then 'STATE_NOTHING_OPEN'
             else 'STATE_NOT_REACHED'
           end as state,
           coalesce(active.critical, 0) as critical, coalesce(active.high, 0) as high,
           coalesce(active.medium, 0) as medium, coalesce(active.low, 0) as low
    from scan_host
    left join host on host.account_id = scan_host.account_id and host.id = scan_host.host_id
    left join (
      select scan_issue.host_id,
             count(*)::int as total,
             count(*) filter (where issue.category = 'CATEGORY_CRITICAL')::int as critical,
             count(*) filter (where issue.category = 'CATEGORY_HIGH')::int as high,
             count(*) filter (where issue.category = 'CATEGORY_MEDIUM')::int as medium,
             count(*) filter (where issue.category = 'CATEGORY_LOW')::int as low
      from scan_issue
      join issue on issue.account_id = scan_issue.account_id and issue.id = scan_issue.issue_id
      where scan_issue.account_id = ${ctx.workspace} and scan_issue.scan_id = ${scanId} and scan_issue.change <> 'RESOLVED'
      group by scan_issue.host_id
    ) as active on active.host_id = scan_host.host_id
    where scan_host.account_id = ${ctx.workspace} and scan_host.scan_id = ${scanId}`
}

async function countStates(ctx: Ctx, scanId: string) {
  const { rows } = await sql<{ affected: number; scanned: number; silent: number; unreachable: number }>`
    select count(*) filter (where state = 'STATE_AFFECTED')::int as affected,
           count(*) filter (where state = 'STATE_SCANNED')::int as scanned,
           count(*) filter (where state = 'STATE_NOTHING_OPEN')::int as silent,
           count(*) filter (where state = 'STATE_NOT_REACHED')::int as unreachable
    from (${scannedAddresses(ctx, scanId)}) as scanned`.execute(ctx.tx)
  const { affected = 0, scanned = 0, silent = 0, unreachable = 0 } = rows[0] ?? {}
  return { affected, scanned, nothingOpen: silent, notReached: unreachable }
}
