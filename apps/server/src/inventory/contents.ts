import type { Host, Service } from '@glacis/contract/host'
import type { Product } from '@glacis/contract/product'
import type { Ctx } from '#ctx.ts'
import { anyOf } from '#database/any-of.ts'
import { timestampText, toIso } from '#database/timestamps.ts'
import { endOfLife } from '#inventory/end-of-life.ts'
import type { Tables } from '#database/tables.ts'
import { type RawBuilder, type Selectable, sql } from 'kysely'

/** The software currently installed on each host. */
export async function inventoryOf(
  ctx: Ctx,
  hostIds: readonly string[],
): Promise<ReadonlyMap<string, Host['inventory']>> {
  if (hostIds.length === 0) return new Map()
  const { rows } = await sql<ProductRow & { host_id: string; port: number }>`
    select host_product.host_id, host_product.port, ${productColumns('product')}
    from host_product
    join product on product.account_id = host_product.account_id and product.id = host_product.product_id
    where host_product.account_id = ${ctx.workspace} and host_product.host_id = any(${hostIds}::uuid[])
      and host_product.gone_at is null
    order by product.name, host_product.port`.execute(ctx.tx)
  return grouped(rows, (row) => ({ wfn: row.wfn, port: row.port, product: toProduct(row, ctx.now) }))
}

/** The ports currently open on each host. */
export async function servicesOf(ctx: Ctx, hostIds: readonly string[]): Promise<ReadonlyMap<string, Service[]>> {
  if (hostIds.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('service')
    .select(['host_id', 'port', 'transport', 'protocol', 'tls', 'product', 'banner', 'certificate'])
    .select([timestampText('first_seen_at').as('first_seen'), timestampText('last_seen_at').as('last_seen')])
    .where('account_id', '=', ctx.workspace)
    .where('host_id', '=', anyOf(hostIds))
    .where('gone_at', 'is', null)
    .orderBy('port')
    .execute()
  return grouped(rows, (row) => ({
    port: row.port,
    transport: row.transport,
    protocol: row.protocol,
    tls: row.tls,
    ...(row.product && { product: row.product }),
    ...(row.banner && { banner: row.banner }),
    ...(row.certificate && { certificate: row.certificate }),
    firstSeenTime: toIso(row.first_seen),
    lastSeenTime: toIso(row.last_seen),
  }))
}

/** The service with its own name, or else the name of the software recognized on its port. */
export function withServiceName(service: Service, inventory: readonly RecognizedSoftware[]): Service {
  if (service.product) return service
  const onPort = inventory.filter(({ port }) => port === service.port)
  const names = onPort.flatMap(({ product }) => (product ? [`${product.name} ${product.version}`.trimEnd()] : []))
  return names.length > 0 ? { ...service, product: names.join(', ') } : service
}

type RecognizedSoftware = Pick<Host['inventory'][number], 'port'> & {
  readonly product?: Pick<Product, 'name' | 'version'> | undefined
}

/** The columns shown of a product. Times are text as formatted by the database. */
export type ProductRow = Pick<
  Selectable<Tables['product']>,
  | 'id'
  | 'name'
  | 'version'
  | 'wfn'
  | 'min_notification_severity'
  | 'watched'
  | 'end_on'
  | 'is_over'
  | 'is_end_known'
  | 'latest'
> & { readonly created: string; readonly updated: string }

/** The columns of a `ProductRow`, from the given table or alias. */
export function productColumns(alias: string): RawBuilder<unknown> {
  const plain = [
    'id',
    'name',
    'version',
    'wfn',
    'min_notification_severity',
    'watched',
    'end_on',
    'is_over',
    'is_end_known',
    'latest',
  ]
  return sql.join([
    ...plain.map((column) => sql.ref(`${alias}.${column}`)),
    sql`${timestampText(`${alias}.created_at`)} as created`,
    sql`${timestampText(`${alias}.updated_at`)} as updated`,
  ])
}

/** Maps a product to its API representation, with the support state as of `now`. */
export function toProduct(row: ProductRow, now: Date): Product {
  const end = endOfLife(row, now)
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    wfn: row.wfn,
    minNotificationSeverity: row.min_notification_severity,
    createTime: toIso(row.created),
    updateTime: toIso(row.updated),
    watched: row.watched,
    ...(end && { endOfLife: end }),
  }
}

function grouped<Row extends { host_id: string }, T>(
  rows: readonly Row[],
  toItem: (row: Row) => T,
): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const group = groups.get(row.host_id)
    if (group) group.push(toItem(row))
    else groups.set(row.host_id, [toItem(row)])
  }
  return groups
}
