import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/target'
import type { TargetOrder, TargetState } from '@glacis/contract/target'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage, totalOf } from '#database/page.ts'
import { describeTargets } from '#targets/describe.ts'
import { type RawBuilder, sql } from 'kysely'

type Filter = NonNullable<ParsedInputOf<typeof contract.listTargets>['filter']>
interface Row {
  readonly id: string
  /** The sort key as text; empty for what sorts last. */
  readonly sort: string
}

/** Open critical and high issues, from the rollup per target. */
const seriousIssueCount = sql`coalesce((
  select critical + high from target_count
  where target_count.account_id = target.account_id and target_count.target_id = target.id), 0)`

/** As people sort: letters with accents beside the same letters without. The database itself sorts by code point. */
const name = sql`lower(target.name) collate "und-x-icu"`

/** The sort key of each order as text, and the condition for rows after a given key and ID. */
const orders: Readonly<
  Record<
    TargetOrder,
    { sort: RawBuilder<unknown>; by: RawBuilder<unknown>; after(sort: string, id: string): RawBuilder<unknown> }
  >
> = {
  ORDER_BY_MOST_RECENT: {
    sort: sql`''`,
    by: sql`target.id desc`,
    after: (_, id) => sql`target.id < ${id}::uuid`,
  },
  ORDER_BY_NAME: {
    sort: sql`lower(target.name)`,
    by: sql`${name}, target.id`,
    after: (last, id) => sql`(${name}, target.id) > (${last}, ${id}::uuid)`,
  },
  ORDER_BY_LAST_SCAN: {
    sort: sql`coalesce(target.last_scan_at::text, '')`,
    by: sql`target.last_scan_at desc nulls last, target.id`,
    after: (at, id) =>
      at === ''
        ? sql`target.last_scan_at is null and target.id > ${id}::uuid`
        : sql`(target.last_scan_at < ${at}::timestamptz or target.last_scan_at is null
               or (target.last_scan_at = ${at}::timestamptz and target.id > ${id}::uuid))`,
  },
  ORDER_BY_NEXT_SCAN: {
    sort: sql`coalesce(target.next_scan_at::text, '')`,
    by: sql`target.next_scan_at nulls last, target.id`,
    after: (at, id) =>
      at === ''
        ? sql`target.next_scan_at is null and target.id > ${id}::uuid`
        : sql`(target.next_scan_at > ${at}::timestamptz or target.next_scan_at is null
               or (target.next_scan_at = ${at}::timestamptz and target.id > ${id}::uuid))`,
  },
  ORDER_BY_SEVERITY: {
    sort: sql`${seriousIssueCount}::text`,
    by: sql`${seriousIssueCount} desc, target.id`,
    after: (total, id) =>
      sql`(${seriousIssueCount} < ${total}::int or (${seriousIssueCount} = ${total}::int and target.id > ${id}::uuid))`,
  },
}

export async function listTargets(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listTargets>,
): Promise<ResultOf<typeof contract.listTargets>> {
  const { filter = {}, orderBy = 'ORDER_BY_MOST_RECENT' } = input
  const page = readPage(input, ['targets', filter, orderBy])
  const order = orders[orderBy]
  const where = conditions(ctx, filter)
  const [sort = '', id = ''] = page.after ?? []
  const [{ rows }, total] = await Promise.all([
    sql<Row>`
      select target.id, ${order.sort} as sort from target
      where ${sql.join(page.after ? [...where, order.after(String(sort), String(id))] : where, sql` and `)}
      order by ${order.by}
      limit ${page.size + 1}`.execute(ctx.tx),
    page.after ? {} : totalOf(ctx, sql`select from target where ${sql.join(where, sql` and `)}`),
  ])
  const cut = cutPage(page, rows, (row) => [row.sort, row.id])
  const described = await describeTargets(
    ctx,
    cut.rows.map((row) => row.id),
  )
  const targets = cut.rows.flatMap((row) => described.get(row.id) ?? [])
  return { targets, nextPageToken: cut.nextPageToken, ...total }
}

function conditions(ctx: Ctx, filter: Filter): RawBuilder<unknown>[] {
  const parts = [sql`target.account_id = ${ctx.workspace}`, sql`target.deleted_at is null`]
  if (filter.periods?.length) parts.push(sql`target.schedule_period = any(${filter.periods}::text[])`)
  if (filter.ownerIds?.length) parts.push(sql`target.owner_id = any(${filter.ownerIds}::text[])`)
  if (filter.agentId) parts.push(sql`target.agent_id = ${filter.agentId}`)
  if (filter.agent) parts.push(filter.agent === 'AGENT_FILTER_ANY' ? withAgent : sql`not ${withAgent}`)
  if (filter.query) {
    const like = `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`
    parts.push(sql`(target.name ilike ${like} or target.address ilike ${like})`)
  }
  if (filter.tagIds?.length) {
    parts.push(sql`exists (
      select from target_tag
      where target_tag.account_id = ${ctx.workspace} and target_tag.target_id = target.id
        and target_tag.tag_id = any(${filter.tagIds}::uuid[]))`)
  }
  if (filter.states?.length) {
    parts.push(
      sql`(${sql.join(
        filter.states.map((state) => states[state](ctx)),
        sql` or `,
      )})`,
    )
  }
  return parts
}

const withAgent = sql`(target.agent_id is not null)`

/** How long after its scheduled time a target without a completed scan is overdue. */
const overdueAfter = sql`case target.schedule_period
  when 'PERIOD_DAILY' then interval '2 days' when 'PERIOD_WEEKLY' then interval '9 days' else interval '35 days' end`

const states: Readonly<Record<TargetState, (ctx: Ctx) => RawBuilder<unknown>>> = {
  STATE_NEVER_SCANNED: () => sql`target.last_scan_at is null`,
  STATE_OVERDUE: (ctx) => sql`(
    target.paused_at is null and target.created_at < ${ctx.now}::timestamptz - ${overdueAfter}
    and coalesce((
      select completed_at from scan
      where scan.account_id = ${ctx.workspace} and scan.target_id = target.id and status = 'STATUS_COMPLETED' and retest_of is null
      order by id desc
      limit 1), '-infinity') < ${ctx.now}::timestamptz - ${overdueAfter})`,
  STATE_FAILED: (ctx) => sql`(
    select status from scan
    where scan.account_id = ${ctx.workspace} and scan.target_id = target.id and retest_of is null
    order by id desc
    limit 1) = 'STATUS_FAILED'`,
  STATE_PAUSED: () => sql`target.paused_at is not null`,
  STATE_UNRESOLVED: () => sql`target.unresolved_since is not null`,
}
