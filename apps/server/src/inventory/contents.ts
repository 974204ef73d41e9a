import type { Host, Product, Service } from '@glacis/contract/inventory'
import type { Ctx } from '#ctx.ts'
import { anyOf } from '#database/any.ts'
import { endOfLife } from '#inventory/ends.ts'
import type { Tables } from '#database/tables.ts'
import type { Selectable } from 'kysely'

/** Software on each host, as it stands now. */
export async function inventoryOf(
  ctx: Ctx,
  hostIds: readonly string[],
): Promise<ReadonlyMap<string, Host['inventory']>> {
  if (hostIds.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('host_product')
    .innerJoin('product', (join) =>
      join
        .onRef('product.account_id', '=', 'host_product.account_id')
        .onRef('product.id', '=', 'host_product.product_id'),
    )
    .selectAll('product')
    .select(['host_product.host_id', 'host_product.port'])
    .where('host_product.account_id', '=', ctx.account)
    .where('host_product.host_id', '=', anyOf(hostIds))
    .where('host_product.gone_at', 'is', null)
    .orderBy('product.name')
    .orderBy('host_product.port')
    .execute()
  return grouped(rows, (row) => ({ wfn: row.wfn, port: row.port, product: toProduct(row, ctx.now) }))
}

/** Open ports of each host, as they stand now. */
export async function servicesOf(ctx: Ctx, hostIds: readonly string[]): Promise<ReadonlyMap<string, Service[]>> {
  if (hostIds.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('service')
    .selectAll()
    .where('account_id', '=', ctx.account)
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
    firstSeenTime: row.first_seen_at.toISOString(),
    lastSeenTime: row.last_seen_at.toISOString(),
  }))
}

/** A product as the contract shows it, at this time of the day on which its support may end. */
export function toProduct(row: Selectable<Tables['product']>, now: Date): Product {
  const end = endOfLife(row, now)
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    wfn: row.wfn,
    minNotificationSeverity: row.min_notification_severity,
    createTime: row.created_at.toISOString(),
    updateTime: row.updated_at.toISOString(),
    watched: row.watched,
    ...(end && { endOfLife: end }),
  }
}

function grouped<Row extends { host_id: string }, T>(
  rows: readonly Row[],
  make: (row: Row) => T,
): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const group = groups.get(row.host_id)
    if (group) group.push(make(row))
    else groups.set(row.host_id, [make(row)])
  }
  return groups
}
