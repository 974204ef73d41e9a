import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/scan'
import type { ComparedIssue } from '@glacis/contract/scan'
import type { Ctx } from '#ctx.ts'
import type { ScanTable } from '#database/tables.ts'
import { invalid, notFound } from '#errors.ts'
import { type Selectable, sql } from 'kysely'

/** The state of one issue on one host in two scans and between them. */
export interface Pair {
  /** The later scan's result; null if it has none. */
  readonly now: 'NEW' | 'SEEN' | 'REGRESSION' | 'RESOLVED' | null
  /** The earlier scan detected it. */
  readonly wasThere: boolean
  /**
   * A scan after the earlier one detected it for the first time, or again after it was resolved.
   */
  readonly isNewSince: boolean
  readonly isBackSince: boolean
  /** Its status when the later scan ended. */
  readonly statusAtEnd: string | null
}
export type Verdict = 'new' | 'regressive' | 'resolved' | 'notTested' | 'unchanged' | 'gone'

/**
 * Compares an issue on a host between two scans. `gone` means it appeared and disappeared in
 * between.
 */
export function verdictOf({ now, wasThere, isNewSince, isBackSince, statusAtEnd }: Pair): Verdict {
  if (now !== null && now !== 'RESOLVED') {
    if (now === 'REGRESSION' || isBackSince) return 'regressive'
    // An issue that was already known but not detectable by the earlier scan is not new.
    return now === 'NEW' || isNewSince ? 'new' : 'unchanged'
  }
  if (now === null && isNewSince && !wasThere) return 'gone'
  return statusAtEnd === 'STATUS_RESOLVED' ? 'resolved' : 'notTested'
}

interface Row extends Pair {
  readonly issue_id: string
  readonly host_id: string
  readonly address: string
  readonly host_name: string
  readonly name: string
  readonly category: ComparedIssue['category']
  readonly score: number
  readonly verification: ComparedIssue['verification']
}
type Scan = Pick<Selectable<ScanTable>, 'id' | 'target_id' | 'created_at' | 'completed_at'>

/**
 * Changes on a target between two scans, per host: open now but not before is new (or regressed),
 * open before and disproved since is resolved, and open before but not checked now is not tested.
 *
 * @throws ApiError `not_found`; `invalid` for a base that isn't an earlier scan of the same target
 */
export async function diffScan(
  ctx: Ctx,
  { id, baseScanId }: ParsedInputOf<typeof contract.diffScan>,
): Promise<ResultOf<typeof contract.diffScan>> {
  const scan = await scanOf(ctx, id)
  if (!scan) throw notFound('scan', id)
  const base = baseScanId ? await baseOf(ctx, scan, baseScanId) : await completedBefore(ctx, scan)
  const rows = await readPairs(ctx, scan, base)
  const byVerdict = Map.groupBy(rows, verdictOf)
  const activeHosts = Map.groupBy(
    rows.filter((row) => verdictOf(row) !== 'resolved' && verdictOf(row) !== 'gone'),
    (row) => row.issue_id,
  )
  const listed = (verdict: Verdict) => group(byVerdict.get(verdict) ?? [], activeHosts)
  return {
    ...(base && { baseScan: { id: base.id, createTime: base.created_at.toISOString() } }),
    new: listed('new'),
    resolved: listed('resolved'),
    regressive: listed('regressive'),
    unchangedCount: new Set(byVerdict.get('unchanged')?.map((row) => row.issue_id)).size,
    notTested: listed('notTested'),
  }
}

async function scanOf(ctx: Ctx, id: string): Promise<Scan | undefined> {
  return ctx.tx
    .selectFrom('scan')
    .select(['id', 'target_id', 'created_at', 'completed_at'])
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .executeTakeFirst()
}

async function baseOf(ctx: Ctx, scan: Scan, id: string): Promise<Scan> {
  const base = await scanOf(ctx, id)
  if (!base) throw notFound('scan', id)
  if (base.target_id !== scan.target_id || base.id >= scan.id) {
    throw invalid('baseScanId', 'Choose an earlier scan of the same target')
  }
  return base
}

async function completedBefore(ctx: Ctx, scan: Scan): Promise<Scan | undefined> {
  return ctx.tx
    .selectFrom('scan')
    .select(['id', 'target_id', 'created_at', 'completed_at'])
    .where('account_id', '=', ctx.workspace)
    .where('target_id', '=', scan.target_id)
    .where('status', '=', 'STATUS_COMPLETED')
    .where('retest_of', 'is', null)
    .where('id', '<', scan.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** All pairs of issue and host with a result in one of the two scans or in between. */
async function readPairs(ctx: Ctx, scan: Scan, base: Scan | undefined): Promise<Row[]> {
  const from = base?.id ?? scan.id
  const { rows } = await sql<Row>`
    select pair.issue_id, pair.host_id, pair.now, coalesce(pair.was_there, false) as "wasThere",
           coalesce(pair.new_since, ${base === undefined}) as "isNewSince", coalesce(pair.back_since, false) as "isBackSince",
           final.status as "statusAtEnd",
           host.address, host.name as host_name, threat.name, issue.category, issue.score, issue.verification
    from (
      select issue_id, host_id,
             max(change) filter (where scan_id = ${scan.id}) as now,
             bool_or(scan_id = ${from} and change <> 'RESOLVED') filter (where ${base !== undefined}) as was_there,
             bool_or(change = 'NEW') filter (where scan_id <> ${from}) as new_since,
             bool_or(change = 'REGRESSION') filter (where scan_id <> ${from}) as back_since
      from scan_issue
      where account_id = ${ctx.workspace}
        and scan_id in (
          select id from scan
          where account_id = ${ctx.workspace} and target_id = ${scan.target_id} and id >= ${from} and id <= ${scan.id})
      group by issue_id, host_id
    ) as pair
    join issue on issue.account_id = ${ctx.workspace} and issue.id = pair.issue_id
    join threat on threat.id = issue.threat_id
    join host on host.account_id = ${ctx.workspace} and host.id = pair.host_id
    left join lateral (
      select status from issue_event as event
      where event.account_id = ${ctx.workspace} and event.issue_id = pair.issue_id and event.host_id = pair.host_id
        and event.at <= ${scan.completed_at ?? ctx.now}
      order by at desc, id desc
      limit 1
    ) as final on true
    order by issue.score desc, threat.name, issue.id, host.address::inet`.execute(ctx.tx)
  return rows
}

/**
 * One entry per issue with its hosts, in the same order. `activeHosts` contains all hosts on which an
 * issue is active.
 */
function group(rows: readonly Row[], activeHosts: ReadonlyMap<string, readonly Row[]>): ComparedIssue[] {
  return [...Map.groupBy(rows, (row) => row.issue_id).values()].flatMap((same) => {
    const [first] = same
    if (!first) return []
    const { issue_id: id, name, category, score, verification } = first
    const hosts = same.map((row) => ({
      id: row.host_id,
      address: row.address,
      ...(row.host_name && { name: row.host_name }),
    }))
    const isElsewhere = activeHosts.get(id)?.some((row) => !same.includes(row)) ?? false
    return [{ id, name, category, score, verification, hosts, isElsewhere }]
  })
}
