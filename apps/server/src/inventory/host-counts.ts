/** Maintains the number of hosts per product, so that lists don't count. */
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

/**
 * Runs `work`, which changes the software of these hosts only, and updates `product.hosts`
 * accordingly. The caller has locked the hosts, so that concurrent scans don't count the same
 * change twice.
 */
export async function updatingHostCounts(
  ctx: Ctx,
  hostIds: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const before = await runningOn(ctx, hostIds)
  await work()
  const after = await runningOn(ctx, hostIds)
  const changes = new Map<string, number>()
  const add = (pair: string, by: number) => {
    const [, product = ''] = pair.split(' ')
    changes.set(product, (changes.get(product) ?? 0) + by)
  }
  for (const pair of after.difference(before)) add(pair, 1)
  for (const pair of before.difference(after)) add(pair, -1)
  await apply(ctx, changes)
}

/** Subtracts the hosts of targets that are being deleted. */
export async function subtractTargetHosts(ctx: Ctx, targetIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string; hosts: number }>`
    select product_id as id, count(distinct host_id)::int as hosts
    from host
    join host_product on host_product.account_id = host.account_id and host_product.host_id = host.id
    where host.account_id = ${ctx.workspace} and host.target_id = any(${targetIds}::uuid[]) and gone_at is null
    group by product_id`.execute(ctx.tx)
  await apply(ctx, new Map(rows.map(({ id, hosts }) => [id, -hosts])))
}

async function apply(ctx: Ctx, changes: ReadonlyMap<string, number>): Promise<void> {
  if (changes.size === 0) return
  // Locked in a fixed order to prevent deadlocks between scans.
  await sql`
    update product set hosts = product.hosts + change.by
    from (
      select product.id, change.by
      from unnest(${[...changes.keys()]}::uuid[], ${[...changes.values()]}::int[]) as change (id, by)
      join product on product.account_id = ${ctx.workspace} and product.id = change.id
      where change.by <> 0
      order by product.id
      for update of product
    ) as change
    where product.account_id = ${ctx.workspace} and product.id = change.id`.execute(ctx.tx)
}

/** The software on these hosts, as `host product`. */
async function runningOn(ctx: Ctx, hostIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (hostIds.length === 0) return new Set()
  const { rows } = await sql<{ pair: string }>`
    select distinct host_id || ' ' || product_id as pair from host_product
    where account_id = ${ctx.workspace} and host_id = any(${hostIds}::uuid[]) and gone_at is null`.execute(ctx.tx)
  return new Set(rows.map((row) => row.pair))
}
