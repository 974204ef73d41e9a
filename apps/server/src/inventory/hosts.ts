import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/inventory'
import type { Host } from '@glacis/contract/inventory'
import type { Target } from '@glacis/contract/target'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage } from '#database/page.ts'
import { activeIssues, noIssues } from '#database/severity.ts'
import { notFound } from '#errors.ts'
import { inventoryOf, servicesOf } from '#inventory/contents.ts'

/** How a caller turns target ids into targets: the targets room's, handed in because inventory may not open that door. */
export type Targets = (ctx: Ctx, ids: readonly string[]) => Promise<ReadonlyMap<string, Target>>

export async function listHosts(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listHosts>,
  targets: Targets,
): Promise<ResultOf<typeof contract.listHosts>> {
  const { filter = {} } = input
  const page = readPage(input, filter)
  let query = ctx.tx
    .selectFrom('host')
    .innerJoin('target', (join) =>
      join.onRef('target.account_id', '=', 'host.account_id').onRef('target.id', '=', 'host.target_id'),
    )
    .select('host.id')
    .where('host.account_id', '=', ctx.account)
    .where('target.deleted_at', 'is', null)
    .orderBy('host.id', 'desc')
    .limit(page.size + 1)
  if (page.after) query = query.where('host.id', '<', String(page.after[0]))
  if (filter.targetId) query = query.where('host.target_id', '=', filter.targetId)
  if (filter.newSince) query = query.where('host.first_seen_at', '>=', new Date(filter.newSince))
  if (filter.query) {
    const like = `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`
    query = query.where((where) => where.or([where('host.address', 'ilike', like), where('host.name', 'ilike', like)]))
  }
  if (filter.productId) {
    query = query.where((where) =>
      where.exists(
        where
          .selectFrom('host_product')
          .select('product_id')
          .where('host_product.account_id', '=', ctx.account)
          .whereRef('host_product.host_id', '=', 'host.id')
          .where('product_id', '=', filter.productId ?? '')
          .where('gone_at', 'is', null),
      ),
    )
  }
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.id])
  const described = await describeHosts(
    ctx,
    rows.map((row) => row.id),
    targets,
  )
  return { hosts: rows.flatMap((row) => described.get(row.id) ?? []), nextPageToken }
}

/** @throws Refusal `not_found` */
export async function getHost(ctx: Ctx, { id }: { id: string }, targets: Targets): Promise<{ host: Host }> {
  const host = (await describeHosts(ctx, [id], targets)).get(id)
  if (!host) throw notFound('host', id)
  return { host }
}

/** The hosts of these ids as the contract shows them, in a fixed number of statements. */
export async function describeHosts(
  ctx: Ctx,
  ids: readonly string[],
  targets: Targets,
): Promise<ReadonlyMap<string, Host>> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('host')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where('id', 'in', wanted)
    .execute()
  const counts = await activeIssues(ctx, 'host_id', wanted)
  const described = await targets(
    ctx,
    rows.map((row) => row.target_id),
  )
  const inventory = await inventoryOf(ctx, wanted)
  const services = await servicesOf(ctx, wanted)
  return new Map(
    rows.map((row) => {
      const target = described.get(row.target_id)
      const host: Host = {
        id: row.id,
        address: row.address,
        ...(row.name && { name: row.name }),
        ...(target && { target }),
        inventory: inventory.get(row.id) ?? [],
        services: services.get(row.id) ?? [],
        issueCount: counts.get(row.id) ?? noIssues,
        createTime: row.first_seen_at.toISOString(),
        updateTime: row.updated_at.toISOString(),
        lastCheckTime: row.last_checked_at.toISOString(),
      }
      return [row.id, host]
    }),
  )
}
