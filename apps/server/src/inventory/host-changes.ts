/** User-maintained host properties: name, criticality, tags, merges. */
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/host'
import type { Host } from '@glacis/contract/host'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { invalid, masked, notFound, ApiError } from '#errors.ts'
import { getHost, type Targets } from '#inventory/hosts.ts'

/**
 * Updates the fields in `updateMask.paths`.
 *
 * @throws ApiError `not_found`; `invalid` for a field that can't be changed or has no value
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
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!changed) throw notFound('host', id)
  await recordAuditEvent(ctx, 'host.update', { kind: 'host', id }, { paths: updateMask.paths })
  return getHost(ctx, { id }, targets)
}

/**
 * Merges hosts that are the same machine. Scan results stay separate internally, so a closed port
 * at one address doesn't resolve issues at another. Lists and pages show them as one host.
 *
 * @throws ApiError `not_found`; `invalid` if the host is among the sources; `precondition` if this
 * host is merged into another
 */
export async function mergeHosts(
  ctx: Ctx,
  { id, sourceHostIds }: ParsedInputOf<typeof contract.mergeHosts>,
  targets: Targets,
): Promise<{ host: Host }> {
  if (sourceHostIds.includes(id)) throw invalid('sourceHostIds', "A host can't be merged into itself")
  const allIds = [...new Set([id, ...sourceHostIds])]
  const rows = await ctx.tx
    .selectFrom('host')
    .select(['id', 'merged_into'])
    .where('account_id', '=', ctx.workspace)
    .where('id', 'in', allIds)
    .orderBy('id')
    .forUpdate()
    .execute()
  const missing = allIds.find((item) => !rows.some((row) => row.id === item))
  if (missing) throw notFound('host', missing)
  if (rows.find((row) => row.id === id)?.merged_into) {
    throw new ApiError('precondition', 'This host is merged into another host. Merge into that host instead')
  }
  await ctx.tx
    .updateTable('host')
    .set({ merged_into: id, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    // Hosts merged into a source earlier move with it.
    .where((where) => where.or([where('id', 'in', sourceHostIds), where('merged_into', 'in', sourceHostIds)]))
    .execute()
  await recordAuditEvent(ctx, 'host.merge', { kind: 'host', id }, { sourceHostIds })
  return getHost(ctx, { id }, targets)
}

/** Undoes a merge. @throws ApiError `not_found` */
export async function splitHost(
  ctx: Ctx,
  { id }: ParsedInputOf<typeof contract.splitHost>,
  targets: Targets,
): Promise<{ host: Host }> {
  const response = await getHost(ctx, { id }, targets)
  const freed = await ctx.tx
    .updateTable('host')
    .set({ merged_into: null, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('merged_into', '=', response.host.id)
    .returning('id')
    .execute()
  const sourceHostIds = freed.map((row) => row.id)
  await recordAuditEvent(ctx, 'host.split', { kind: 'host', id: response.host.id }, { sourceHostIds })
  return getHost(ctx, { id }, targets)
}

/** Separates hosts of other targets that were merged into hosts of these targets. */
export async function splitHostsOfTargets(ctx: Ctx, targetIds: readonly string[]): Promise<void> {
  if (targetIds.length === 0) return
  await ctx.tx
    .updateTable('host')
    .set({ merged_into: null, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('merged_into', 'in', (host) =>
      host
        .selectFrom('host as gone')
        .select('gone.id')
        .where('gone.account_id', '=', ctx.workspace)
        .where('gone.target_id', 'in', targetIds),
    )
    .execute()
}
