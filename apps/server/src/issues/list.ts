import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/issue'
import type { Issue, IssueOrder } from '@glacis/contract/issue'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage, totalOf } from '#database/page.ts'
import { notFound } from '#errors.ts'
import type { Targets } from '#inventory/index.ts'
import { describeIssues, type IssueRow } from '#issues/describe.ts'
import { type ReadPlaces, readPlaces, type Versioned } from '#issues/places.ts'
import { factsOf } from '#issues/reprioritise.ts'
import { priorityOf } from '@glacis/intelligence'
import { counting, matching } from '#issues/filter.ts'
import { type RawBuilder, sql } from 'kysely'

const hostsPerIssue = 3
/** One answer holds no more; `affectedHostCount` says how many there are, and the list of hosts has them all. */
const hostsMax = 500

interface Order {
  readonly column: RawBuilder<unknown>
  readonly type: RawBuilder<unknown>
  readonly isRising?: boolean
}

/** Each has its index, within one verification. */
const orders: Readonly<Record<IssueOrder, Order>> = {
  ORDER_BY_PRIORITY: { column: sql`issue.priority`, type: sql`smallint` },
  ORDER_BY_SEVERITY: { column: sql`issue.score`, type: sql`numeric` },
  ORDER_BY_EPSS: { column: sql`issue.epss`, type: sql`real` },
  ORDER_BY_AFFECTED_HOSTS: { column: sql`issue.host_count`, type: sql`integer` },
  ORDER_BY_MOST_RECENT: { column: sql`issue.last_seen_at`, type: sql`timestamptz` },
  ORDER_BY_OLDEST: { column: sql`issue.first_seen_at`, type: sql`timestamptz`, isRising: true },
}

/**
 * One page of issues, each with the first of its hosts; inside a host or a target, with the one that was asked for.
 *
 * @param read where the places come from; one that keeps them serves who only reads
 */
export async function listIssues(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listIssues>,
  targets: Targets,
  read: ReadPlaces = readPlaces,
): Promise<ResultOf<typeof contract.listIssues>> {
  const { filter = {}, orderBy = 'ORDER_BY_MOST_RECENT' } = input
  const page = readPage(input, { filter, orderBy })
  const { column, type, isRising = false } = orders[orderBy]
  const [way, beyond] = isRising ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  const few = filter.affectedTargetId ? await fewOfTarget(ctx, filter.affectedTargetId) : null
  const where = matching(ctx, filter, { isInOrder: !few })
  const after = page.after
    ? sql`and (${column}, issue.id) ${beyond} (${page.after[0]}::${type}, ${page.after[1]}::uuid)`
    : sql``
  const [{ rows }, total] = await Promise.all([
    sql<IssueRow & Versioned & { order_key: string }>`
      select issue.*, issue.xmin::text as version, ${column}::text as order_key
      from issue
      where ${where} ${few ?? sql``} ${after}
      order by ${column} ${way}, issue.id ${way}
      limit ${page.size + 1}`.execute(ctx.tx),
    page.after ? {} : totalOf(ctx, counting(ctx, filter)),
  ])
  const cut = cutPage(page, rows, (row) => [row.order_key, row.id])
  const first = { hostId: filter.affectedHostId, targetId: filter.affectedTargetId }
  const issues = await describeIssues(ctx, cut.rows, targets, { hostsMax: hostsPerIssue, evidence: false, first }, read)
  return { issues, nextPageToken: cut.nextPageToken, ...total }
}

/** Of a target with more issues, an order meets them sooner than they are sorted. */
const fewMax = 1000

/** Names the issues of a target by their keys where they are few; null where they are not. */
async function fewOfTarget(ctx: Ctx, targetId: string): Promise<RawBuilder<unknown> | null> {
  const here = sql`from issue_target where account_id = ${ctx.account} and target_id = ${targetId}`
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from (select ${here} limit ${sql.lit(fewMax + 1)}) as counted`.execute(ctx.tx)
  return (rows[0]?.total ?? 0) > fewMax ? null : sql`and issue.id = any(array(select issue_id ${here}))`
}

/** @throws Refusal `not_found` */
export async function getIssue(ctx: Ctx, { id }: { id: string }, targets: Targets): Promise<{ issue: Issue }> {
  const { rows } = await sql<IssueRow>`
    select * from issue
    where account_id = ${ctx.account} and id = ${id}`.execute(ctx.tx)
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

/** Every issue that a scan saw or settled, whole, worst first: what a report is made of. */
export async function issuesOfScan(ctx: Ctx, scanId: string, targets: Targets): Promise<Issue[]> {
  const { rows } = await sql<IssueRow>`
    select * from issue
    where account_id = ${ctx.account}
      and id in (
        select issue_id from scan_issue
        where account_id = ${ctx.account} and scan_id = ${scanId})
    order by priority desc, score desc, id`.execute(ctx.tx)
  return describeIssues(ctx, rows, targets, { hostsMax: null, evidence: true })
}

/** @throws Refusal `not_found` */
export async function requireIssue(ctx: Ctx, id: string): Promise<void> {
  const issue = await ctx.tx
    .selectFrom('issue')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!issue) throw notFound('issue', id)
}
