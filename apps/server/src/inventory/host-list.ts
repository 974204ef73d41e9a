import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/host'
import type { HostOrder } from '@glacis/contract/host'
import type { SeverityCategory } from '@glacis/contract/threat'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage, totalOf } from '#database/page.ts'
import { describeHosts, type Targets } from '#inventory/hosts.ts'
import { type RawBuilder, sql } from 'kysely'

type Filter = NonNullable<ParsedInputOf<typeof contract.listHosts>['filter']>

/** The sort key of each order; each has an index. */
const orders: Readonly<
  Record<HostOrder, { column: RawBuilder<unknown>; type: RawBuilder<unknown>; isRising: boolean }>
> = {
  ORDER_BY_MOST_RECENT: { column: sql`host.id`, type: sql`uuid`, isRising: false },
  ORDER_BY_ADDRESS: { column: sql`host.address::inet`, type: sql`inet`, isRising: true },
  ORDER_BY_LAST_CHECKED: { column: sql`host.last_checked_at`, type: sql`timestamptz`, isRising: false },
  ORDER_BY_FIRST_SEEN: { column: sql`host.first_seen_at`, type: sql`timestamptz`, isRising: false },
}

/**
 * Lists the hosts of the workspace's targets. Merged hosts are not listed separately; their names, issues, and software
 * match the host they were merged into.
 */
export async function listHosts(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listHosts>,
  targets: Targets,
): Promise<ResultOf<typeof contract.listHosts>> {
  const { filter = {}, orderBy = 'ORDER_BY_MOST_RECENT' } = input
  const page = readPage(input, ['hosts', filter, orderBy])
  const { column, type, isRising } = orders[orderBy]
  const [sort, id] = page.after ?? []
  const after = page.after
    ? sql`and (${column}, host.id) ${isRising ? sql`>` : sql`<`} (${sort}::${type}, ${id}::uuid)`
    : sql``
  const direction = isRising ? sql`asc` : sql`desc`
  const found = sql`
    from host
    join target on target.account_id = host.account_id and target.id = host.target_id
    where ${sql.join(conditions(ctx, filter), sql` and `)}`
  const [{ rows }, total] = await Promise.all([
    sql<{ id: string; sort: string }>`
      select host.id, ${column}::text as sort ${found} ${after}
      order by ${column} ${direction}, host.id ${direction}
      limit ${page.size + 1}`.execute(ctx.tx),
    page.after ? {} : hostsOf(ctx, filter, sql`select ${found}`),
  ])
  const cut = cutPage(page, rows, (row) => [row.sort, row.id])
  const described = await describeHosts(
    ctx,
    cut.rows.map((row) => row.id),
    targets,
  )
  return { hosts: cut.rows.flatMap((row) => described.get(row.id) ?? []), nextPageToken: cut.nextPageToken, ...total }
}

/** All hosts and those of one target have exact counts, from an index-only scan. */
async function hostsOf(ctx: Ctx, filter: Filter, rows: RawBuilder<unknown>) {
  const { targetId, ...others } = filter
  const isOfTargets = Object.values(others).every((item) => item === undefined || item.length === 0)
  if (!isOfTargets) return totalOf(ctx, rows)
  const counted = await sql<{ hosts: number }>`
    select count(*)::int as hosts
    from host
    join target on target.account_id = host.account_id and target.id = host.target_id and target.deleted_at is null
    where host.account_id = ${ctx.workspace} and host.merged_into is null
      and ${targetId ? sql`host.target_id = ${targetId}` : sql`true`}`.execute(ctx.tx)
  return { totalSize: counted.rows[0]?.hosts ?? 0, totalSizeIsExact: true }
}

function conditions(ctx: Ctx, filter: Filter): RawBuilder<unknown>[] {
  const parts = [
    sql`host.account_id = ${ctx.workspace}`,
    sql`target.deleted_at is null`,
    sql`host.merged_into is null`,
    ...termsOf(filter.query).map((term) => matching(ctx, term)),
  ]
  if (filter.targetId) parts.push(sql`host.target_id = ${filter.targetId}`)
  if (filter.newSince) parts.push(sql`host.first_seen_at >= ${new Date(filter.newSince)}`)
  if (filter.notSeenSince) {
    const since = new Date(filter.notSeenSince)
    const seenSince = membersWhere(ctx, sql`member.last_seen_at >= ${since}`)
    parts.push(sql`host.last_seen_at < ${since} and host.id not in (${seenSince})`)
  }
  if (filter.criticalities?.length) parts.push(sql`host.criticality = any(${filter.criticalities}::text[])`)
  if (filter.productId) parts.push(running(ctx, sql`host_product.product_id = ${filter.productId}`))
  if (filter.tagIds?.length) {
    parts.push(sql`exists (
      select from target_tag
      where target_tag.account_id = ${ctx.workspace} and target_tag.target_id = host.target_id
        and target_tag.tag_id = any(${filter.tagIds}::uuid[]))`)
  }
  if (filter.severities?.length) parts.push(includesMerged(ctx, havingIssues(ctx, filter.severities)))
  return parts
}

function termsOf(query = ''): string[] {
  return query.split(/\s+/).filter(Boolean)
}

/** A search term matches part of an address, name, or product; `port:443` matches an open port. */
function matching(ctx: Ctx, term: string): RawBuilder<unknown> {
  const [, port] = /^port:(\d{1,5})$/i.exec(term) ?? []
  if (port) {
    return includesMerged(
      ctx,
      sql`select host_id from service
        where service.account_id = ${ctx.workspace} and service.port = ${Number(port)} and service.gone_at is null`,
    )
  }
  const like = `%${term.replace(/[\\%_]/g, '\\$&')}%`
  const called = membersWhere(ctx, sql`(member.address ilike ${like} or member.name ilike ${like})`)
  return sql`(
    host.address ilike ${like} or host.name ilike ${like} or host.id in (${called})
    or ${running(ctx, sql`product.name ilike ${like}`)})`
}

/** Hosts that currently run software matching the condition. */
function running(ctx: Ctx, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return includesMerged(
    ctx,
    sql`select host_product.host_id from host_product
      join product on product.account_id = host_product.account_id and product.id = host_product.product_id
      where host_product.account_id = ${ctx.workspace} and host_product.gone_at is null and ${condition}`,
  )
}

const counted: Readonly<Partial<Record<SeverityCategory, RawBuilder<unknown>>>> = {
  CATEGORY_CRITICAL: sql`critical`,
  CATEGORY_HIGH: sql`high`,
  CATEGORY_MEDIUM: sql`medium`,
  CATEGORY_LOW: sql`low`,
}

/** Hosts with an active issue of one of these severities, from the per-host counts. */
function havingIssues(ctx: Ctx, severities: readonly SeverityCategory[]): RawBuilder<unknown> {
  const others = severities.filter((item) => !counted[item])
  const parts = severities.flatMap((item) => {
    const column = counted[item]
    return column ? [sql`select host_id from host_count where account_id = ${ctx.workspace} and ${column} > 0`] : []
  })
  if (others.length > 0) {
    parts.push(sql`
      select occurrence.host_id from occurrence
      join issue on issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
      where occurrence.account_id = ${ctx.workspace} and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')
        and issue.category = any(${others}::text[])`)
  }
  return sql.join(parts, sql` union all `)
}

/**
 * Whether a host, or a host merged into it, is in the result of a statement. Evaluated once per
 * list instead of once per host.
 */
function includesMerged(ctx: Ctx, found: RawBuilder<unknown>): RawBuilder<unknown> {
  const merged = membersWhere(ctx, sql`member.id in (${found})`)
  return sql`host.id in (${found} union all ${merged})`
}

/** Hosts into which a host matching the condition was merged. */
function membersWhere(ctx: Ctx, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select member.merged_into from host as member
    where member.account_id = ${ctx.workspace} and member.merged_into is not null and ${condition}`
}
