import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/product'
import type { Product } from '@glacis/contract/product'
import type { SeverityCount } from '@glacis/contract/primitives'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage, totalOf } from '#database/page.ts'
import { noIssues } from '#database/severity.ts'
import { notFound } from '#errors.ts'
import { productColumns, type ProductRow, toProduct } from '#inventory/contents.ts'
import { soonDays } from '#inventory/end-of-life.ts'
import type { Tables } from '#database/tables.ts'
import { type RawBuilder, type Selectable, sql } from 'kysely'

type Filter = NonNullable<ParsedInputOf<typeof contract.listProducts>['filter']>
type Order = NonNullable<ParsedInputOf<typeof contract.listProducts>['orderBy']>

/**
 * The sort key of each order. A workspace has a few thousand products, so aggregating their hosts is
 * fast enough.
 */
const orders: Readonly<
  Record<
    Order,
    {
      readonly column: (ctx: Ctx) => RawBuilder<unknown>
      readonly type: RawBuilder<unknown>
      readonly isDescending: boolean
    }
  >
> = {
  ORDER_BY_NAME: { column: () => sql`lower(name)`, type: sql`text`, isDescending: false },
  ORDER_BY_END_OF_LIFE: {
    column: () => sql`case when is_over then date '1900-01-01' else coalesce(end_on, date '9999-12-31') end`,
    type: sql`date`,
    isDescending: false,
  },
  ORDER_BY_SEVERITY: {
    column: (ctx) => sql`
      select coalesce(sum(case category when 'CATEGORY_CRITICAL' then 1000000 when 'CATEGORY_HIGH' then 1000 else 1 end), 0)
      from (select distinct * from (${activeOn(ctx, sql`select listed.id`)}) as found) as active`,
    type: sql`numeric`,
    isDescending: true,
  },
  ORDER_BY_HOSTS: {
    column: () => sql`hosts`,
    type: sql`integer`,
    isDescending: true,
  },
}

/** Lists products that are installed on a host or watched. */
export async function listProducts(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listProducts>,
): Promise<ResultOf<typeof contract.listProducts>> {
  const { filter = {}, orderBy = 'ORDER_BY_NAME' } = input
  const page = readPage(input, ['products', filter, orderBy])
  const { column, type, isDescending } = orders[orderBy]
  const [direction, beyond] = isDescending ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const after = page.after ? sql`(sort, id) ${beyond} (${page.after[0]}::${type}, ${page.after[1]}::uuid)` : sql`true`
  const [{ rows }, total] = await Promise.all([
    sql<CountedRow & { sort_text: string }>`
      select ${productColumns('found')}, found.hosts, sort::text as sort_text
      from (select listed.*, (${column(ctx)}) as sort from product as listed where ${conditions(ctx, filter)}) as found
      where ${after}
      order by sort ${direction}, id ${direction}
      limit ${page.size + 1}`.execute(ctx.tx),
    page.after ? {} : totalOf(ctx, sql`select from product as listed where ${conditions(ctx, filter)}`),
  ])
  const cut = cutPage(page, rows, (row) => [row.sort_text, row.id])
  return { products: await counted(ctx, cut.rows), nextPageToken: cut.nextPageToken, ...total }
}

function conditions(ctx: Ctx, filter: Filter): RawBuilder<unknown> {
  const parts = [sql`listed.account_id = ${ctx.workspace}`]
  const isAnywhere = filter.targetId === undefined && filter.hostId === undefined
  // The offset keeps the planner from materializing all installed software.
  parts.push(isAnywhere ? sql`(watched or hosts > 0)` : sql`exists (${running(ctx, filter)} offset 0)`)
  if (filter.watched !== undefined) parts.push(sql`watched = ${filter.watched}`)
  if (filter.vendor) parts.push(sql`vendor = ${filter.vendor}`)
  if (filter.product) parts.push(sql`product = ${filter.product}`)
  if (filter.parts) parts.push(sql`part = any(${filter.parts}::text[])`)
  if (filter.endOfLife) parts.push(endOfLifeConditions(ctx, filter.endOfLife))
  if (filter.query) {
    const like = `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`
    parts.push(sql`(name ilike ${like} or key ilike ${like})`)
  }
  if (filter.hasIssues !== undefined) {
    parts.push(sql`exists (${activeOn(ctx, sql`select listed.id`)}) = ${filter.hasIssues}`)
  }
  return sql.join(parts, sql` and `)
}

/** The SQL condition for each state of `endOfLife`. */
function endOfLifeConditions(ctx: Ctx, states: NonNullable<Filter['endOfLife']>): RawBuilder<unknown> {
  const today = sql`(${ctx.now}::timestamptz at time zone 'utc')::date`
  const state = sql`case
    when not is_end_known then 'STATE_UNKNOWN'
    when is_over or end_on < ${today} then 'STATE_PAST'
    when end_on < ${today} + ${soonDays}::int then 'STATE_SOON'
    else 'STATE_SUPPORTED' end`
  return sql`${state} = any(${states}::text[])`
}

/** @throws ApiError `not_found` */
export async function getProduct(ctx: Ctx, { id }: { id: string }): Promise<{ product: Product }> {
  const { rows } = await sql<CountedRow>`
    select ${productColumns('product')}, hosts from product
    where account_id = ${ctx.workspace} and id = ${id}`.execute(ctx.tx)
  const [product] = await counted(ctx, rows)
  if (!product) throw notFound('product', id)
  return { product }
}

/**
 * Where the outer row's product is currently installed. Software of a host that is gone doesn't
 * count.
 */
function running(ctx: Ctx, { targetId, hostId }: Filter): RawBuilder<unknown> {
  const host = sql`join host on host.account_id = host_product.account_id and host.id = host_product.host_id`
  return sql`
    select from host_product
    ${targetId ? host : sql``}
    where host_product.account_id = ${ctx.workspace} and host_product.product_id = listed.id and host_product.gone_at is null
      ${targetId ? sql`and host.target_id = ${targetId}` : sql``}
      ${hostId ? sql`and host_product.host_id = ${hostId}` : sql``}`
}

/** Active occurrences caused by one of `products`. */
function activeOn(ctx: Ctx, products: ReturnType<typeof sql>) {
  return sql`
    select occurrence.product_id, occurrence.issue_id, issue.category
    from occurrence
    join issue on issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
    where occurrence.account_id = ${ctx.workspace}
      and occurrence.product_id in (${products})
      and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')`
}

type CountedRow = ProductRow & Pick<Selectable<Tables['product']>, 'hosts'>

/** Products with the number of hosts that run them and their open issues. */
async function counted(ctx: Ctx, rows: readonly CountedRow[]): Promise<Product[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  // A page of products can have thousands of issues, so one scan of the workspace's issues is cheaper
  // than lookups.
  const issues =
    ids.length === 1
      ? sql`issue`
      : sql`(select account_id, id, category from issue where account_id = ${ctx.workspace} offset 0) as issue`
  const { rows: counts } = await sql<SeverityCount & { id: string }>`
    select product_id as id,
           count(*) filter (where category = 'CATEGORY_CRITICAL')::int as critical,
           count(*) filter (where category = 'CATEGORY_HIGH')::int as high,
           count(*) filter (where category = 'CATEGORY_MEDIUM')::int as medium,
           count(*) filter (where category = 'CATEGORY_LOW')::int as low
    from (
      -- Index-only scan first; then each issue is read once.
      select distinct product_id, issue_id from occurrence
      where account_id = ${ctx.workspace} and product_id = any(${ids}::uuid[]) and product_id is not null
        and status in ('STATUS_OPEN', 'STATUS_REGRESSION')
    ) as active
    join ${issues} on issue.account_id = ${ctx.workspace} and issue.id = active.issue_id
    group by product_id`.execute(ctx.tx)
  const issuesById = new Map(counts.map(({ id, ...count }) => [id, count]))
  return rows.map((row) => ({
    ...toProduct(row, ctx.now),
    hostCount: row.hosts,
    issueCount: issuesById.get(row.id) ?? noIssues,
  }))
}
