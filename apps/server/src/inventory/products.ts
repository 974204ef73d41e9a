import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/inventory'
import type { Product } from '@glacis/contract/inventory'
import type { SeverityCount } from '@glacis/contract/primitives'
import type { Ctx } from '#ctx.ts'
import { concerns } from '#database/concerns.ts'
import { cutPage, readPage } from '#database/page.ts'
import { noIssues } from '#database/severity.ts'
import { notFound } from '#errors.ts'
import { toProduct } from '#inventory/contents.ts'
import { sql } from 'kysely'

export async function listProducts(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listProducts>,
): Promise<ResultOf<typeof contract.listProducts>> {
  const { filter = {} } = input
  const page = readPage(input, filter)
  let query = ctx.tx
    .selectFrom('product')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where((where) => where.exists(running(ctx, filter)))
    .orderBy('name')
    .orderBy('id')
    .limit(page.size + 1)
  if (page.after) {
    const [name, id] = page.after
    query = query.where(sql<boolean>`(name, id) > (${name}, ${id}::uuid)`)
  }
  if (filter.vendor) query = query.where('vendor', '=', filter.vendor)
  if (filter.parts) query = query.where('part', 'in', filter.parts)
  if (filter.query) {
    const like = `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`
    query = query.where((where) => where.or([where('name', 'ilike', like), where('key', 'ilike', like)]))
  }
  if (filter.hasIssues !== undefined) {
    const active = sql<boolean>`exists (${activeOn(ctx, sql`select product.id`)})`
    query = query.where(filter.hasIssues ? active : sql<boolean>`not ${active}`)
  }
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.name, row.id])
  return { products: await withCounts(ctx, rows.map(toProduct)), nextPageToken }
}

/** @throws Refusal `not_found` */
export async function getProduct(ctx: Ctx, { id }: { id: string }): Promise<{ product: Product }> {
  const row = await ctx.tx
    .selectFrom('product')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('product', id)
  const [product = toProduct(row)] = await withCounts(ctx, [toProduct(row)])
  return { product }
}

/** Hosts that run the product of the outer row now. */
function running(ctx: Ctx, filter: { targetId?: string | undefined; hostId?: string | undefined }) {
  let query = ctx.tx
    .selectFrom('host_product')
    .innerJoin('host', (join) =>
      join.onRef('host.account_id', '=', 'host_product.account_id').onRef('host.id', '=', 'host_product.host_id'),
    )
    .select('host_product.product_id')
    .where('host_product.account_id', '=', ctx.account)
    .where('host_product.product_id', '=', sql.ref<string>('product.id'))
    .where('host_product.gone_at', 'is', null)
  if (filter.targetId) query = query.where('host.target_id', '=', filter.targetId)
  if (filter.hostId) query = query.where('host.id', '=', filter.hostId)
  return query
}

/** Active occurrences that concern one of `products` where it runs. */
function activeOn(ctx: Ctx, products: ReturnType<typeof sql>) {
  return sql`
    select host_product.product_id, occurrence.issue_id, issue.category
    from host_product
    join product on product.account_id = host_product.account_id and product.id = host_product.product_id
    join occurrence
      on occurrence.account_id = host_product.account_id
      and occurrence.host_id = host_product.host_id
      and occurrence.port = host_product.port
      and ${concerns}
    join issue on issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
    where host_product.account_id = ${ctx.account}
      and host_product.product_id in (${products})
      and host_product.gone_at is null
      and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION')`
}

async function withCounts(ctx: Ctx, products: readonly Product[]): Promise<Product[]> {
  if (products.length === 0) return []
  const ids = products.map((product) => product.id)
  const { rows: hosts } = await sql<{ id: string; hosts: number }>`
    select product_id as id, count(distinct host_id)::int as hosts
    from host_product
    where account_id = ${ctx.account} and product_id = any(${ids}::uuid[]) and gone_at is null
    group by product_id`.execute(ctx.tx)
  const { rows: issues } = await sql<SeverityCount & { id: string }>`
    select product_id as id,
           count(*) filter (where category = 'CATEGORY_CRITICAL')::int as critical,
           count(*) filter (where category = 'CATEGORY_HIGH')::int as high,
           count(*) filter (where category = 'CATEGORY_MEDIUM')::int as medium,
           count(*) filter (where category = 'CATEGORY_LOW')::int as low
    from (select distinct * from (${activeOn(ctx, sql`select unnest(${ids}::uuid[])`)}) as found) as active
    group by product_id`.execute(ctx.tx)
  const hostsById = new Map(hosts.map((row) => [row.id, row.hosts]))
  const issuesById = new Map(issues.map(({ id, ...count }) => [id, count]))
  return products.map((product) => ({
    ...product,
    hostCount: hostsById.get(product.id) ?? 0,
    issueCount: issuesById.get(product.id) ?? noIssues,
  }))
}
