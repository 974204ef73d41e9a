import type { Observation } from '@glacis/contract/runner'
import type { Ctx } from '#ctx.ts'
import { storable, storableJson } from '#database/text.ts'
import { newId } from '#database/index.ts'
import { refreshEndOfLife } from '#inventory/end-of-life.ts'
import { updatingHostCounts } from '#inventory/host-counts.ts'
import { productKeyOf, versionOf } from '#inventory/product-key.ts'
import { sql } from 'kysely'

type WithAddress<Kind extends Observation['kind']> = Extract<Observation, { kind: Kind }>

/**
 * The result of recording a batch. Contains only hosts that have an open port or were known before.
 */
export interface RecordedInventory {
  readonly hostByAddress: ReadonlyMap<string, string>
}

/**
 * Records hosts, services, and software observed by a scan. A host that only refused connections is
 * recorded only if it was known before. On ports that were scanned, services and software that are no longer observed
 * are marked as gone but kept.
 */
export async function recordInventory(
  ctx: Ctx,
  targetId: string,
  observations: readonly Observation[],
): Promise<RecordedInventory> {
  // Keep the last of several equal observations: a statement can't update a row twice.
  const services = lastOf(
    observations.filter((entry) => entry.kind === 'service'),
    (entry) => `${entry.address} ${entry.port} ${entry.transport}`,
  )
  const reached = lastOf(
    observations.filter((entry) => entry.kind === 'host').filter((entry) => entry.reached),
    (entry) => entry.address,
  )
  const hostByAddress = await recordHosts(ctx, targetId, reached, new Set(services.map((entry) => entry.address)))
  await recordServices(ctx, hostByAddress, services)
  const technologies = observations.filter((entry) => entry.kind === 'technology')
  const closed = observations.filter((entry) => entry.kind === 'closed')
  if (technologies.length > 0 || closed.length > 0) {
    // The hosts are locked, so no other transaction changes their software.
    await updatingHostCounts(ctx, [...hostByAddress.values()], async () => {
      await recordProducts(ctx, hostByAddress, technologies)
      await markGone(ctx, hostByAddress, closed)
    })
  }
  return { hostByAddress }
}

function lastOf<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((entry) => [keyOf(entry), entry])).values()]
}

async function recordHosts(
  ctx: Ctx,
  targetId: string,
  reached: readonly WithAddress<'host'>[],
  responding: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  if (reached.length === 0) return new Map()
  const hosts = await ctx.tx
    .selectFrom('host')
    .select('address')
    .where('account_id', '=', ctx.workspace)
    .where('target_id', '=', targetId)
    .where(
      'address',
      'in',
      reached.map((entry) => entry.address),
    )
    .execute()
  const isKnown = new Set(hosts.map((row) => row.address))
  const recordedHosts = reached.filter((entry) => responding.has(entry.address) || isKnown.has(entry.address))
  if (recordedHosts.length === 0) return new Map()
  const rows = await ctx.tx
    .insertInto('host')
    .values(
      recordedHosts.map((entry) => ({
        account_id: ctx.workspace,
        id: newId(),
        target_id: targetId,
        address: entry.address,
        name: storable(entry.names[0] ?? ''),
        first_seen_at: ctx.now,
        last_seen_at: ctx.now,
        last_checked_at: ctx.now,
        updated_at: ctx.now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'target_id', 'address']).doUpdateSet((set) => ({
        name: set.ref('excluded.name'),
        last_seen_at: ctx.now,
        last_checked_at: ctx.now,
        updated_at: ctx.now,
      })),
    )
    .returning(['id', 'address'])
    .execute()
  return new Map(rows.map((row) => [row.address, row.id]))
}

async function recordServices(
  ctx: Ctx,
  hosts: ReadonlyMap<string, string>,
  services: readonly WithAddress<'service'>[],
): Promise<void> {
  const rows = services.flatMap((entry) => {
    const host_id = hosts.get(entry.address)
    return host_id ? { host_id, ...entry } : []
  })
  if (rows.length === 0) return
  await ctx.tx
    .insertInto('service')
    .values(
      rows.map((entry) => ({
        account_id: ctx.workspace,
        host_id: entry.host_id,
        port: entry.port,
        transport: entry.transport,
        protocol: storable(entry.protocol),
        tls: entry.tls,
        banner: storable(entry.banner),
        product: storable(entry.http?.server ?? ''),
        certificate: entry.certificate ? storableJson(entry.certificate) : null,
        first_seen_at: ctx.now,
        last_seen_at: ctx.now,
        gone_at: null,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'host_id', 'port', 'transport']).doUpdateSet((set) => ({
        protocol: set.ref('excluded.protocol'),
        tls: set.ref('excluded.tls'),
        banner: set.ref('excluded.banner'),
        product: set.ref('excluded.product'),
        certificate: set.ref('excluded.certificate'),
        last_seen_at: ctx.now,
        gone_at: null,
      })),
    )
    .execute()
}

async function recordProducts(
  ctx: Ctx,
  hosts: ReadonlyMap<string, string>,
  technologies: readonly WithAddress<'technology'>[],
): Promise<void> {
  const technologiesOfHosts = technologies.filter((entry) => hosts.has(entry.address))
  if (technologiesOfHosts.length === 0) return
  const byKey = new Map(technologiesOfHosts.map((entry) => [entry.wfn.text, entry]))
  const products = await ctx.tx
    .insertInto('product')
    .values(
      [...byKey].map(([key, item]) => ({
        account_id: ctx.workspace,
        id: newId(),
        key,
        name: storable(item.name),
        version: storable(versionOf(item.wfn)),
        part: item.wfn.part,
        vendor: item.wfn.vendor,
        product: item.wfn.product,
        wfn: storableJson(item.wfn),
        subject: productKeyOf(item.wfn),
        created_at: ctx.now,
        updated_at: ctx.now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'key']).doUpdateSet((set) => ({
        updated_at: ctx.now,
        version: set.ref('excluded.version'),
        subject: set.ref('excluded.subject'),
      })),
    )
    .returning(['id', 'key', 'subject'])
    .execute()
  const idByKey = new Map(products.map((row) => [row.key, row.id]))
  await replaceOnPorts(ctx, hosts, technologiesOfHosts, idByKey)
  await refreshEndOfLife(ctx.tx, [...new Set(products.map((row) => row.subject))])
}

/** Replaces the software on ports where software was recognized again. */
async function replaceOnPorts(
  ctx: Ctx,
  hosts: ReadonlyMap<string, string>,
  technologiesOfHosts: readonly WithAddress<'technology'>[],
  idByKey: ReadonlyMap<string, string>,
): Promise<void> {
  const rows = new Map<string, { host_id: string; product_id: string; one: WithAddress<'technology'> }>()
  for (const entry of technologiesOfHosts) {
    const [host_id, product_id] = [hosts.get(entry.address), idByKey.get(entry.wfn.text)]
    if (host_id && product_id) rows.set(`${host_id} ${product_id} ${entry.port}`, { host_id, product_id, one: entry })
  }
  const list = [...rows.values()]
  const [onHosts, ports] = [list.map((row) => row.host_id), list.map((row) => row.one.port)]
  await sql`
    update host_product set gone_at = ${ctx.now}
    where account_id = ${ctx.workspace} and gone_at is null
      and (host_id, port) in (select * from unnest(${onHosts}::uuid[], ${ports}::int[]))
      and (host_id, port, product_id) not in (
        select * from unnest(${onHosts}::uuid[], ${ports}::int[], ${list.map((row) => row.product_id)}::uuid[]))`.execute(
    ctx.tx,
  )
  await ctx.tx
    .insertInto('host_product')
    .values(
      list.map(({ host_id, product_id, one }) => ({
        account_id: ctx.workspace,
        host_id,
        product_id,
        port: one.port,
        revision: storable(one.revision ?? ''),
        evidence: storable(one.evidence),
        quality: one.quality,
        first_seen_at: ctx.now,
        last_seen_at: ctx.now,
        gone_at: null,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'host_id', 'product_id', 'port']).doUpdateSet((set) => ({
        revision: set.ref('excluded.revision'),
        evidence: set.ref('excluded.evidence'),
        quality: set.ref('excluded.quality'),
        last_seen_at: ctx.now,
        gone_at: null,
      })),
    )
    .execute()
}

async function markGone(
  ctx: Ctx,
  hosts: ReadonlyMap<string, string>,
  closed: readonly WithAddress<'closed'>[],
): Promise<void> {
  const pairs = closed.flatMap((entry) => {
    const host = hosts.get(entry.address)
    return host ? entry.ports.map((port) => ({ host, port })) : []
  })
  if (pairs.length === 0) return
  for (const table of ['service', 'host_product']) {
    await sql`
      update ${sql.table(table)} set gone_at = ${ctx.now}
      where account_id = ${ctx.workspace} and gone_at is null
        and (host_id, port) in (
          select * from unnest(${pairs.map((pair) => pair.host)}::uuid[], ${pairs.map((pair) => pair.port)}::int[]))`.execute(
      ctx.tx,
    )
  }
}
