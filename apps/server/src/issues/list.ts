import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/issue'
import type { Issue, IssueFilter, StatusFilter } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { concerns } from '#database/concerns.ts'
import { cutPage, readPage } from '#database/page.ts'
import { notFound } from '#errors.ts'
import type { Targets } from '#inventory/index.ts'
import { describeIssues, type IssueRow } from '#issues/describe.ts'
import { type RawBuilder, sql } from 'kysely'

/** Lists are counted up to here; beyond it the total says that it is not exact. */
const countMax = 10_000
const hostsPerIssue = 3

const orders = {
  ORDER_BY_PRIORITY: { column: sql`issue.priority`, key: (row: IssueRow) => row.priority, type: sql`int` },
  ORDER_BY_SEVERITY: { column: sql`issue.score`, key: (row: IssueRow) => row.score, type: sql`numeric` },
  ORDER_BY_MOST_RECENT: {
    column: sql`issue.last_seen_at`,
    key: (row: IssueRow) => row.last_seen_exact,
    type: sql`timestamptz`,
  },
} as const

export async function listIssues(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listIssues>,
  targets: Targets,
): Promise<ResultOf<typeof contract.listIssues>> {
  const { filter = {}, orderBy = 'ORDER_BY_MOST_RECENT' } = input
  const page = readPage(input, { filter, orderBy })
  const order = orders[orderBy]
  const where = conditions(ctx, filter)
  const after = page.after
    ? sql`and (${order.column}, issue.id) < (${page.after[0]}::${order.type}, ${page.after[1]}::uuid)`
    : sql``
  const { rows } = await sql<IssueRow>`
    select issue.*, issue.last_seen_at::text as last_seen_exact
    from issue
    join threat on threat.id = issue.threat_id
    where ${where} ${after}
    order by ${order.column} desc, issue.id desc
    limit ${page.size + 1}`.execute(ctx.tx)
  const cut = cutPage(page, rows, (row) => [order.key(row), row.id])
  const total = page.after ? {} : await count(ctx, where)
  const issues = await describeIssues(ctx, cut.rows, targets, { hostsMax: hostsPerIssue, evidence: false })
  return { issues, nextPageToken: cut.nextPageToken, ...total }
}

/** @throws Refusal `not_found` */
export async function getIssue(ctx: Ctx, { id }: { id: string }, targets: Targets): Promise<{ issue: Issue }> {
  const { rows } = await sql<IssueRow>`
    select issue.*, issue.last_seen_at::text as last_seen_exact from issue
    where account_id = ${ctx.account} and id = ${id}`.execute(ctx.tx)
  const [issue] = await describeIssues(ctx, rows, targets, { hostsMax: null, evidence: true })
  if (!issue) throw notFound('issue', id)
  return { issue }
}

/** Every issue that a scan saw or settled, whole, worst first: what a report is made of. */
export async function issuesOfScan(ctx: Ctx, scanId: string, targets: Targets): Promise<Issue[]> {
  const { rows } = await sql<IssueRow>`
    select issue.*, issue.last_seen_at::text as last_seen_exact from issue
    where account_id = ${ctx.account}
      and id in (
        select issue_id from scan_issue
        where account_id = ${ctx.account} and scan_id = ${scanId})
    order by priority desc, score desc, id`.execute(ctx.tx)
  return describeIssues(ctx, rows, targets, { hostsMax: null, evidence: true })
}

async function count(ctx: Ctx, where: RawBuilder<unknown>): Promise<{ totalSize: number; totalSizeIsExact: boolean }> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total
    from (
      select 1 from issue join threat on threat.id = issue.threat_id where ${where} limit ${countMax + 1}
    ) as counted`.execute(ctx.tx)
  const total = rows[0]?.total ?? 0
  return { totalSize: Math.min(total, countMax), totalSizeIsExact: total <= countMax }
}

const statuses: Readonly<Record<StatusFilter, readonly string[]>> = {
  STATUS_FILTER_ALL: ['STATUS_OPEN', 'STATUS_REGRESSION', 'STATUS_RESOLVED', 'STATUS_IGNORED'],
  STATUS_FILTER_OPEN: ['STATUS_OPEN', 'STATUS_REGRESSION'],
  STATUS_FILTER_RESOLVED: ['STATUS_RESOLVED'],
  STATUS_FILTER_IGNORED: ['STATUS_IGNORED'],
}

function conditions(ctx: Ctx, filter: IssueFilter): RawBuilder<unknown> {
  const parts = [sql`issue.account_id = ${ctx.account}`]
  if (filter.status?.length)
    parts.push(sql`issue.status = any(${filter.status.flatMap((one) => statuses[one])}::text[])`)
  if (filter.verification === 'VERIFICATION_FILTER_VERIFIED')
    parts.push(sql`issue.verification = 'VERIFICATION_VERIFIED'`)
  if (filter.verification === 'VERIFICATION_FILTER_UNVERIFIED')
    parts.push(sql`issue.verification = 'VERIFICATION_UNVERIFIED'`)
  if (filter.severities?.length) parts.push(sql`issue.category = any(${filter.severities}::text[])`)
  if (filter.kev !== undefined) parts.push(sql`(threat.known_exploited_at is not null) = ${filter.kev}`)
  if (filter.query) {
    const like = `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`
    parts.push(sql`(threat.name ilike ${like} or threat.key ilike ${like})`)
  }
  if (filter.affectedTargetId) parts.push(onSome(ctx, sql`occurrence.target_id = ${filter.affectedTargetId}`))
  if (filter.affectedHostId) parts.push(onSome(ctx, sql`occurrence.host_id = ${filter.affectedHostId}`))
  if (filter.productId) {
    parts.push(
      onSome(
        ctx,
        sql`exists (
          select from host_product
          join product on product.account_id = host_product.account_id and product.id = host_product.product_id
          where host_product.account_id = ${ctx.account} and host_product.product_id = ${filter.productId}
            and host_product.host_id = occurrence.host_id and host_product.port = occurrence.port
            and host_product.gone_at is null and ${concerns})`,
      ),
    )
  }
  if (filter.scanId) {
    parts.push(sql`exists (
      select from scan_issue
      where scan_issue.account_id = ${ctx.account} and scan_issue.scan_id = ${filter.scanId} and scan_issue.issue_id = issue.id)`)
  }
  return sql.join(parts, sql` and `)
}

function onSome(ctx: Ctx, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (
    select from occurrence
    where occurrence.account_id = ${ctx.account} and occurrence.issue_id = issue.id and ${condition})`
}
