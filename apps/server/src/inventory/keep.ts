/** What people say of hosts, beside what scans saw: whose they are, how much they matter, which are one. */
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/host'
import type { Host } from '@glacis/contract/host'
import { record } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { invalid, masked, notFound, Refusal } from '#errors.ts'
import { getHost, type Targets } from '#inventory/hosts.ts'

/**
 * Changes the members that `updateMask.paths` names.
 *
 * @throws Refusal `not_found`; `invalid` for a path that cannot be changed or whose value is missing
 */
export async function updateHost(
  ctx: Ctx,
  { id, host, updateMask }: ParsedInputOf<typeof contract.updateHost>,
  targets: Targets,
): Promise<{ host: Host }> {
  const change = masked(host, updateMask.paths, ['owner', 'criticality', 'notes'])
  const { owner, criticality, notes } = change
  const changed = await ctx.tx
    .updateTable('host')
    .set({
      updated_at: ctx.now,
      ...(owner !== undefined && { owner: owner.trim() }),
      ...(criticality && { criticality }),
      ...(notes !== undefined && { notes }),
    })
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!changed) throw notFound('host', id)
  await record(ctx, 'host.update', { kind: 'host', id }, { paths: updateMask.paths })
  return getHost(ctx, { id }, targets)
}

/**
 * Says that other hosts are this very machine. What scans see of them stays apart underneath, so
 * that a port which is closed at one address settles nothing at another; lists and pages show them
 * as one.
 *
 * @throws Refusal `not_found`; `invalid` for a host that would be merged into itself; `precondition`
 *   when this host is itself merged into another
 */
export async function mergeHosts(
  ctx: Ctx,
  { id, sourceHostIds }: ParsedInputOf<typeof contract.mergeHosts>,
  targets: Targets,
): Promise<{ host: Host }> {
  if (sourceHostIds.includes(id)) throw invalid('sourceHostIds', 'A host cannot be merged into itself')
  const wanted = [...new Set([id, ...sourceHostIds])]
  const rows = await ctx.tx
    .selectFrom('host')
    .select(['id', 'merged_into'])
    .where('account_id', '=', ctx.account)
    .where('id', 'in', wanted)
    .orderBy('id')
    .forUpdate()
    .execute()
  const missing = wanted.find((one) => !rows.some((row) => row.id === one))
  if (missing) throw notFound('host', missing)
  if (rows.find((row) => row.id === id)?.merged_into) {
    throw new Refusal('precondition', 'This host is merged into another; merge into that one')
  }
  await ctx.tx
    .updateTable('host')
    .set({ merged_into: id, updated_at: ctx.now })
    .where('account_id', '=', ctx.account)
    // What was merged into a source before comes with it.
    .where((where) => where.or([where('id', 'in', sourceHostIds), where('merged_into', 'in', sourceHostIds)]))
    .execute()
  await record(ctx, 'host.merge', { kind: 'host', id }, { sourceHostIds })
  return getHost(ctx, { id }, targets)
}

/** Takes a merge back. @throws Refusal `not_found` */
export async function splitHost(
  ctx: Ctx,
  { id }: ParsedInputOf<typeof contract.splitHost>,
  targets: Targets,
): Promise<{ host: Host }> {
  const answer = await getHost(ctx, { id }, targets)
  const freed = await ctx.tx
    .updateTable('host')
    .set({ merged_into: null, updated_at: ctx.now })
    .where('account_id', '=', ctx.account)
    .where('merged_into', '=', answer.host.id)
    .returning('id')
    .execute()
  const sourceHostIds = freed.map((row) => row.id)
  await record(ctx, 'host.split', { kind: 'host', id: answer.host.id }, { sourceHostIds })
  return getHost(ctx, { id }, targets)
}

/** Hosts of other targets that were merged into hosts of these stand for themselves again. */
export async function splitOfTargets(ctx: Ctx, targetIds: readonly string[]): Promise<void> {
  if (targetIds.length === 0) return
  await ctx.tx
    .updateTable('host')
    .set({ merged_into: null, updated_at: ctx.now })
    .where('account_id', '=', ctx.account)
    .where('merged_into', 'in', (host) =>
      host
        .selectFrom('host as gone')
        .select('gone.id')
        .where('gone.account_id', '=', ctx.account)
        .where('gone.target_id', 'in', targetIds),
    )
    .execute()
}
