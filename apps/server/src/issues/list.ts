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
  /** What rows are sorted by, with its type, before their ids. */
  readonly by: readonly (readonly [column: RawBuilder<unknown>, type: RawBuilder<unknown>])[]
  readonly isRising?: boolean
}

const priority = [sql`issue.priority`, sql`smallint`] as const

/** Each has its index, within one verification. Of what one batch has seen last, the worst stands first. */
const orders: Readonly<Record<IssueOrder, Order>> = {
  ORDER_BY_PRIORITY: { by: [priority] },
  ORDER_BY_SEVERITY: { by: [[sql`issue.score`, sql`numeric`]] },
  ORDER_BY_EPSS: { by: [[sql`issue.epss`, sql`real`]] },
  ORDER_BY_AFFECTED_HOSTS: { by: [[sql`issue.host_count`, sql`integer`]] },
  ORDER_BY_MOST_RECENT: { by: [[sql`issue.last_seen_at`, sql`timestamptz`], priority] },
  ORDER_BY_OLDEST: { by: [[sql`issue.first_seen_at`, sql`timestamptz`]], isRising: true },
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
  const { by, isRising = false } = orders[orderBy]
  // A token of an order that was sorted by less belongs to another list.
  const page = readPage(input, { list: 'issues', filter, orderBy, keys: by.length })
  const columns = by.map(([column]) => column)
  const [way, beyond] = isRising ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  const few = filter.affectedTargetId ? await fewOfTarget(ctx, filter.affectedTargetId) : null
  const where = matching(ctx, filter, { isInOrder: !few })
  const last = page.after?.map((value, index) => sql`${value}::${by[index]?.[1] ?? sql`uuid`}`)
  const after = last ? sql`and (${sql.join(columns)}, issue.id) ${beyond} (${sql.join(last)})` : sql``
  const [{ rows }, total] = await Promise.all([
    sql<IssueRow & Versioned & { order_keys: string[] }>`
      select issue.*, issue.xmin::text as version, array[${sql.join(columns.map((column) => sql`${column}::text`))}] as order_keys
      from issue
      where ${where} ${few ?? sql``} ${after}
      order by ${sql.join([...columns, sql`issue.id`].map((column) => sql`${column} ${way}`))}
      limit ${page.size + 1}`.execute(ctx.tx),
    page.after ? {} : totalOf(ctx, counting(ctx, filter)),
  ])
  const cut = cutPage(page, rows, (row) => [...row.order_keys, row.id])
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

/** Every issue that a scan saw or settled, with all of its hosts in the target, worst first: what a report is made of. */
export async function issuesOfScan(
  ctx: Ctx,
  scan: { readonly id: string; readonly targetId: string },
  targets: Targets,
): Promise<Issue[]> {
  const { rows } = await sql<IssueRow>`
    select * from issue
    where account_id = ${ctx.account}
      and id in (
        select issue_id from scan_issue
        where account_id = ${ctx.account} and scan_id = ${scan.id})
    order by priority desc, score desc, id`.execute(ctx.tx)
  return describeIssues(ctx, rows, targets, { hostsMax: null, within: scan.targetId, evidence: true })
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
