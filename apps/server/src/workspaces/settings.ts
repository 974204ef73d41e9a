/** Settings of a workspace, and its deletion. */
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/workspace'
import { deletionGraceDays, type Workspace } from '@glacis/contract/workspace'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx, Log } from '#ctx.ts'
import { recheckStreams } from '#database/channels.ts'
import type { Database } from '#database/index.ts'
import { recordDeletion } from '#deletions.ts'
import { forEachSettled } from '#for-each-settled.ts'
import { ApiError, invalid, masked, requireUnchanged } from '#errors.ts'
import { rejectLockout } from '#networks.ts'
import { isTimeZone, timeZoneError } from '#time-zone.ts'

const dayMs = 86_400_000

export async function getWorkspace(ctx: Ctx): Promise<{ workspace: Workspace }> {
  const row = await ctx.tx
    .selectFrom('workspace')
    .select(['id', 'name', 'time_zone', 'history_days', 'evidence_days', 'audit_days', 'sign_in_networks'])
    .select(['created_at', 'deletes_at'])
    .where('id', '=', ctx.workspace)
    .executeTakeFirstOrThrow()
  return {
    workspace: {
      id: row.id,
      name: row.name,
      timeZone: row.time_zone,
      retention: { historyDays: row.history_days, evidenceDays: row.evidence_days, auditDays: row.audit_days },
      signInNetworks: row.sign_in_networks,
      createTime: row.created_at.toISOString(),
      ...(row.deletes_at && { deleteTime: row.deletes_at.toISOString() }),
      role: ctx.actor.role ?? 'viewer',
    },
  }
}

/** Locks the row until the transaction ends, so that concurrent changes are compared one after the other. */
async function lockedWorkspace(ctx: Ctx): Promise<Workspace> {
  await ctx.tx.selectFrom('workspace').select('id').where('id', '=', ctx.workspace).forUpdate().execute()
  return (await getWorkspace(ctx)).workspace
}

/**
 * @throws ApiError `invalid` for a field that can't be changed, or an unknown time zone; `conflict` if the settings are no
 *   longer those that the request replaces
 */
export async function updateWorkspace(
  ctx: Ctx,
  { workspace, updateMask, replaces = {} }: ParsedInputOf<typeof contract.updateWorkspace>,
): Promise<{ workspace: Workspace }> {
  const { name, timeZone, retention } = masked(workspace, updateMask.paths, ['name', 'timeZone', 'retention'])
  if (timeZone !== undefined && !isTimeZone(timeZone)) throw invalid('workspace.timeZone', timeZoneError(timeZone))
  const current = await lockedWorkspace(ctx)
  requireUnchanged(replaces.name, current.name)
  requireUnchanged(replaces.timeZone, current.timeZone)
  requireUnchanged(replaces.retention, current.retention)
  await ctx.tx
    .updateTable('workspace')
    .set({
      ...(name !== undefined && { name }),
      ...(timeZone !== undefined && { time_zone: timeZone }),
      ...(retention && {
        history_days: retention.historyDays,
        evidence_days: retention.evidenceDays,
        audit_days: retention.auditDays,
      }),
      updated_at: ctx.now,
    })
    .where('id', '=', ctx.workspace)
    .execute()
  const detail = { name, timeZone, retention }
  await recordAuditEvent(ctx, 'workspace.update', { kind: 'workspace', id: ctx.workspace }, detail)
  return getWorkspace(ctx)
}

/**
 * @throws ApiError `precondition` if the list excludes the person who sets it, without confirmation; `conflict` if it replaces
 *   another list
 */
export async function setSignInNetworks(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.setSignInNetworks>,
): Promise<{ workspace: Workspace }> {
  rejectLockout(input, ctx.actor.ip)
  const { networks, replaces } = input
  requireUnchanged(replaces, (await lockedWorkspace(ctx)).signInNetworks)
  await ctx.tx
    .updateTable('workspace')
    .set({ sign_in_networks: networks, updated_at: ctx.now })
    .where('id', '=', ctx.workspace)
    .execute()
  await recordAuditEvent(ctx, 'workspace.networks', { kind: 'workspace', id: ctx.workspace }, { networks })
  await recheckStreams(ctx)
  return getWorkspace(ctx)
}

/** @throws ApiError `invalid` unless the name was typed exactly */
export async function deleteWorkspace(ctx: Ctx, { name }: { name: string }): Promise<{ workspace: Workspace }> {
  const { workspace } = await getWorkspace(ctx)
  if (workspace.name !== name)
    throw invalid('name', `Type the name of the workspace, ${workspace.name}, to confirm its deletion`)
  if (workspace.deleteTime) return { workspace }
  const deletesAt = new Date(ctx.now.getTime() + deletionGraceDays * dayMs)
  return scheduleDeletion(ctx, deletesAt, 'workspace.delete')
}

/** @throws ApiError `precondition` if no deletion is scheduled */
export async function cancelWorkspaceDeletion(ctx: Ctx): Promise<{ workspace: Workspace }> {
  const { workspace } = await getWorkspace(ctx)
  if (!workspace.deleteTime) throw new ApiError('precondition', 'The workspace is not scheduled for deletion')
  return scheduleDeletion(ctx, null, 'workspace.keep')
}

async function scheduleDeletion(ctx: Ctx, deletesAt: Date | null, action: string): Promise<{ workspace: Workspace }> {
  await ctx.tx
    .updateTable('workspace')
    .set({ deletes_at: deletesAt, updated_at: ctx.now })
    .where('id', '=', ctx.workspace)
    .execute()
  await recordAuditEvent(ctx, action, { kind: 'workspace', id: ctx.workspace }, { deletesAt })
  return getWorkspace(ctx)
}

/** Deletes the workspaces whose grace period has ended. */
export async function deleteDueWorkspaces({ owner }: Database, log: Log): Promise<void> {
  const due = await owner.selectFrom('workspace').select('id').where('deletes_at', '<=', new Date()).execute()
  await forEachSettled(due, ({ id }) =>
    owner.transaction().execute(async (tx) => {
      // The deletion may have been canceled since the list was read.
      const gone = await tx
        .deleteFrom('workspace')
        .where('id', '=', id)
        .where('deletes_at', '<=', new Date())
        .returning('id')
        .executeTakeFirst()
      if (!gone) return
      await recordDeletion(tx, { action: 'account.delete', accountId: id, identityId: null, detail: {} })
      log.info({ workspace: id }, 'workspace deleted')
    }),
  )
}
