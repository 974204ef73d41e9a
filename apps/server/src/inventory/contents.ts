/** What hosts run, and software as the contract shows it. */
import type { Certificate, Product, Service } from '@glacis/contract/inventory'
import type { Ctx } from '#ctx.ts'
import { listOf, moment, objectOf } from '#database/json.ts'
import { endOfLife } from '#inventory/ends.ts'
import { type RawBuilder, sql } from 'kysely'

/**
 * Two columns for a row `host`, as they stand now: `services`, the open ports by number, and
 * `software`, pairs of a product's id and a port, by name.
 */
export function contents(ctx: Ctx): RawBuilder<unknown> {
  const services = sql`
    from service
    where service.account_id = ${ctx.account} and service.host_id = host.id and service.gone_at is null`
  const software = sql`
    from host_product
    join product on product.account_id = ${ctx.account} and product.id = host_product.product_id
    where host_product.account_id = ${ctx.account} and host_product.host_id = host.id and host_product.gone_at is null`
  return sql`
    ${listOf(service, sql`service.port`, services)} as services,
    ${listOf(sql`json_build_array(product.id, host_product.port)`, sql`product.name, host_product.port`, software)} as software`
}

/** A service as it comes from the database. */
export type FoundService = Omit<Service, 'certificate'> & { readonly certificate: Certificate | null }

/** As the contract shows it: what is not known of it is left out. */
export function toService({ product, banner, certificate, ...service }: FoundService): Service {
  return { ...service, ...(product && { product }), ...(banner && { banner }), ...(certificate && { certificate }) }
}

const service = objectOf({
  port: sql`service.port`,
  transport: sql`service.transport`,
  protocol: sql`service.protocol`,
  tls: sql`service.tls`,
  product: sql`service.product`,
  banner: sql`service.banner`,
  certificate: sql`service.certificate`,
  firstSeenTime: moment(sql`service.first_seen_at`),
  lastSeenTime: moment(sql`service.last_seen_at`),
})

/** A product in the words of the contract, and beside it what tells how long it is supported. */
export interface ProductRow {
  readonly id: string
  readonly known: Product
  readonly end_on: string | null
  readonly is_over: boolean
  readonly is_end_known: boolean
  readonly latest: string
}

/** The columns of a `ProductRow`, of a table or alias of that name. */
export function productColumns(alias: string): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  const known = objectOf({
    id: column('id'),
    name: column('name'),
    version: column('version'),
    wfn: column('wfn'),
    minNotificationSeverity: column('min_notification_severity'),
    createTime: moment(column('created_at')),
    updateTime: moment(column('updated_at')),
    watched: column('watched'),
  })
  return sql`${column('id')}, ${known} as known,
    ${sql.join(['end_on', 'is_over', 'is_end_known', 'latest'].map(column))}`
}

/** Software as the contract shows it, by id. */
export async function productsById(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Product>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<ProductRow>`
    select ${productColumns('product')} from product
    where account_id = ${ctx.account} and id = any(${[...new Set(ids)]}::uuid[])`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.id, toProduct(row, ctx.now)]))
}

/** A product as the contract shows it, at this time of the day on which its support may end. */
export function toProduct(row: ProductRow, now: Date): Product {
  const end = endOfLife(row, now)
  return end ? { ...row.known, endOfLife: end } : row.known
}
