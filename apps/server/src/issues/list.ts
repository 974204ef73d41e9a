import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/issue'
import type { Issue, IssueFilter, IssueOrder } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage, totalOf } from '#database/page.ts'
import { notFound } from '#errors.ts'
import type { Targets } from '#inventory/index.ts'
import { describeIssues, type IssueRow } from '#issues/describe.ts'
import { factsOf } from '#issues/reprioritize.ts'
import { priorityOf } from '@glacis/intelligence'
import { counting, matching, ofHost } from '#issues/filter.ts'
import { type RawBuilder, sql } from 'kysely'

const hostsPerIssue = 3
/** Hosts returned per issue. `affectedHostCount` has the total; the host list returns all. */
const hostsMax = 500

interface Order {
  /** Sort columns with their types, before the IDs. */
  readonly by: readonly (readonly [column: RawBuilder<unknown>, type: RawBuilder<unknown>])[]
  readonly isRising?: boolean
}

const priority = [sql`issue.priority`, sql`smallint`] as const

/** Each order has an index per verification. Issues of the same batch are sorted by severity. */
const orders: Readonly<Record<IssueOrder, Order>> = {
  ORDER_BY_PRIORITY: { by: [priority] },
  ORDER_BY_SEVERITY: { by: [[sql`issue.score`, sql`numeric`]] },
  ORDER_BY_EPSS: { by: [[sql`issue.epss`, sql`real`]] },
  ORDER_BY_AFFECTED_HOSTS: { by: [[sql`issue.host_count`, sql`integer`]] },
  ORDER_BY_MOST_RECENT: { by: [[sql`issue.last_seen_at`, sql`timestamptz`], priority] },
  ORDER_BY_OLDEST: { by: [[sql`issue.first_seen_at`, sql`timestamptz`]], isRising: true },
}

/**
 * Returns one page of issues, each with its first hosts. With a host or target filter, that host or
 * target comes first.
 */
export async function listIssues(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listIssues>,
  targets: Targets,
): Promise<ResultOf<typeof contract.listIssues>> {
  const { filter = {}, orderBy = 'ORDER_BY_MOST_RECENT' } = input
  const { by, isRising = false } = orders[orderBy]
  // A page token with a different number of sort keys belongs to another list.
  const page = readPage(input, { list: 'issues', filter, orderBy, keys: by.length })
  const columns = by.map(([column]) => column)
  const [direction, beyond] = isRising ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  const few = await fewIssues(ctx, filter)
  const where = matching(ctx, filter, { isInOrder: !few })
  const last = page.after?.map((value, index) => sql`${value}::${by[index]?.[1] ?? sql`uuid`}`)
  const after = last ? sql`and (${sql.join(columns)}, issue.id) ${beyond} (${sql.join(last)})` : sql``
  const [{ rows }, total] = await Promise.all([
    sql<IssueRow & { order_keys: string[] }>`
      select issue.*, array[${sql.join(columns.map((column) => sql`${column}::text`))}] as order_keys
      from issue
      where ${where} ${few ?? sql``} ${after}
      order by ${sql.join([...columns, sql`issue.id`].map((column) => sql`${column} ${direction}`))}
      limit ${page.size + 1}`.execute(ctx.tx),
    page.after ? {} : totalOf(ctx, counting(ctx, filter)),
  ])
  const cut = cutPage(page, rows, (row) => [...row.order_keys, row.id])
  const first = { hostId: filter.affectedHostId, targetId: filter.affectedTargetId }
  const issues = await describeIssues(ctx, cut.rows, targets, { hostsMax: hostsPerIssue, evidence: false, first })
  return { issues, nextPageToken: cut.nextPageToken, ...total }
}

/** For hosts and targets with more issues, reading in index order is faster than sorting. */
const sortedMax = 1000

/** The issues of the filter's host or target by their keys if there are few; null otherwise. */
async function fewIssues(
  ctx: Ctx,
  { affectedHostId, affectedTargetId }: IssueFilter,
): Promise<RawBuilder<unknown> | null> {
  const rowsOf = affectedHostId
    ? sql`from occurrence where account_id = ${ctx.workspace} and ${ofHost(ctx, affectedHostId)}`
    : affectedTargetId && sql`from issue_target where account_id = ${ctx.workspace} and target_id = ${affectedTargetId}`
  if (!rowsOf) return null
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from (select ${rowsOf} limit ${sql.lit(sortedMax + 1)}) as counted`.execute(ctx.tx)
  return (rows[0]?.total ?? 0) > sortedMax ? null : sql`and issue.id = any(array(select issue_id ${rowsOf}))`
}

/** @throws ApiError `not_found` */
export async function getIssue(ctx: Ctx, { id }: { id: string }, targets: Targets): Promise<{ issue: Issue }> {
  const { rows } = await sql<IssueRow>`
    select * from issue
    where account_id = ${ctx.workspace} and id = ${id}`.execute(ctx.tx)
  const [issue] = await describeIssues(ctx, rows, targets, { hostsMax, evidence: true })
  const [row] = rows
  if (!issue || !row) throw notFound('issue', id)
  const { epss, knownExploited } = issue.threat
  const facts = factsOf({
    ...row,
    epss_score: epss?.score ?? null,
    known_exploited_at: knownExploited ? new Date(knownExploited.addTime) : null,
  })
  return { issue: { ...issue, priorityParts: [...priorityOf(facts).parts] } }
}

/**
 * All issues that a scan detected or resolved, with all of their hosts in the target, worst first.
 * For reports.
 */
export async function issuesOfScan(
  ctx: Ctx,
  scan: { readonly id: string; readonly targetId: string },
  targets: Targets,
): Promise<Issue[]> {
  const { rows } = await sql<IssueRow>`
    select * from issue
    where account_id = ${ctx.workspace}
      and id in (
        select issue_id from scan_issue
        where account_id = ${ctx.workspace} and scan_id = ${scan.id})
    order by priority desc, score desc, id`.execute(ctx.tx)
  return describeIssues(ctx, rows, targets, { hostsMax: null, within: scan.targetId, evidence: true })
}

/** @throws ApiError `not_found` */
export async function requireIssue(ctx: Ctx, id: string): Promise<void> {
  const issue = await ctx.tx
    .selectFrom('issue')
    .select('id')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!issue) throw notFound('issue', id)
}
