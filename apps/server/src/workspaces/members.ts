/** The members of a workspace. Every change is serialized, so that at least one owner always remains. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import { type Role, errorReasons } from '@glacis/contract/role'
import type * as contract from '@glacis/contract/workspace'
import type { Member } from '@glacis/contract/workspace'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { recheckStreams } from '#database/channels.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import type { Tables } from '#database/tables.ts'
import { ApiError, notFound } from '#errors.ts'
import { type Selectable, sql } from 'kysely'

type Row = Selectable<Tables['member']>

/** All current members, by name. */
export async function listMembers(ctx: Ctx): Promise<{ members: Member[] }> {
  const rows = await currentMembers(ctx)
    .orderBy(sql`lower(name)`)
    .orderBy('identity_id')
    .execute()
  return { members: rows.map((row) => toMember(ctx, row)) }
}

/**
 * @throws ApiError `not_found`; `forbidden` if an admin changes an owner or makes one; `conflict` for the last owner, or
 *   if the actor's own role was changed in the meantime
 */
export async function updateMember(
  ctx: Ctx,
  { id, role }: ParsedInputOf<typeof contract.updateMember>,
): Promise<{ member: Member }> {
  const { target, actor } = await lockMembers(ctx, id)
  if (target.role === role) return { member: toMember(ctx, target) }
  requireOwner(actor, [target.role, role])
  if (target.role === 'owner') await requireRemainingOwner(ctx, id)
  const member = await setRole(ctx, target, role)
  return { member: toMember(ctx, member) }
}

/** @throws ApiError like `updateMember` */
export async function removeMember(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  const { target, actor } = await lockMembers(ctx, id)
  requireOwner(actor, [target.role])
  if (target.role === 'owner') await requireRemainingOwner(ctx, id)
  await endMembership(ctx, target, 'member.remove')
  return {}
}

/** @throws ApiError `conflict` for the last owner */
export async function leaveWorkspace(ctx: Ctx): Promise<Record<string, never>> {
  const { actor } = await lockMembers(ctx, actorId(ctx))
  if (actor.role === 'owner') await requireRemainingOwner(ctx, actor.identity_id)
  await endMembership(ctx, actor, 'member.leave')
  return {}
}

/** Makes a member an owner and the current owner an admin. @throws ApiError `not_found`; `precondition` for oneself */
export async function transferOwnership(
  ctx: Ctx,
  { memberId }: ParsedInputOf<typeof contract.transferOwnership>,
): Promise<ResultOf<typeof contract.transferOwnership>> {
  const { target, actor } = await lockMembers(ctx, memberId)
  if (target.identity_id === actor.identity_id)
    throw new ApiError('precondition', 'You already own this workspace. Choose another member')
  requireOwner(actor, ['owner'])
  if (target.role !== 'owner') await setRole(ctx, target, 'owner')
  await setRole(ctx, actor, 'admin')
  return listMembers(ctx)
}

/** The current member with this identity ID. */
export function findMember(ctx: Ctx, id: string): Promise<Row | undefined> {
  return currentMembers(ctx).where('identity_id', '=', id).executeTakeFirst()
}

function currentMembers(ctx: Ctx) {
  return ctx.tx.selectFrom('member').selectAll().where('account_id', '=', ctx.workspace).where('left_at', 'is', null)
}

function actorId({ actor }: Ctx): string {
  if (actor.id === undefined) throw new Error('only users can change members')
  return actor.id
}

/**
 * Serializes changes of members and rereads the role of the actor: another owner may have changed it since the request
 * was authorized.
 */
async function lockMembers(ctx: Ctx, id: string): Promise<{ target: Row; actor: Row }> {
  await lockForLimit(ctx, 'members')
  const rows = await currentMembers(ctx)
    .where('identity_id', 'in', [id, actorId(ctx)])
    .execute()
  const actor = rows.find((row) => row.identity_id === ctx.actor.id)
  if (actor?.role !== ctx.actor.role) {
    const now = actor ? `Your role was just changed to ${actor.role}` : 'You were just removed from this workspace'
    throw new ApiError('conflict', `${now}, so nothing was changed. Reload the page`, {
      reason: errorReasons.roleChanged,
    })
  }
  const target = rows.find((row) => row.identity_id === id)
  if (!target || !actor) throw notFound('member', id)
  return { target, actor }
}

function requireOwner(actor: Row, changed: readonly Role[]): void {
  if (actor.role === 'owner' || !changed.includes('owner')) return
  throw new ApiError('forbidden', 'Only an owner can change who owns the workspace', {
    reason: errorReasons.role,
    metadata: { role: actor.role, allowedRoles: 'owner' },
  })
}

/** @throws ApiError `conflict` if the workspace has no other owner */
export async function requireRemainingOwner(ctx: Ctx, id: string): Promise<void> {
  const other = await currentMembers(ctx).where('role', '=', 'owner').where('identity_id', '<>', id).executeTakeFirst()
  if (other) return
  const who = ctx.actor.kind === 'person' && id === ctx.actor.id ? 'You are' : 'This member is'
  throw new ApiError('conflict', `${who} the last owner. Transfer ownership to another member first`, {
    reason: errorReasons.lastOwner,
  })
}

/** Sets the role of a member, with the audit event. The caller keeps one owner. */
export async function setRole(ctx: Ctx, target: Row, role: Role): Promise<Row> {
  await ctx.tx
    .updateTable('member')
    .set({ role })
    .where('account_id', '=', ctx.workspace)
    .where('identity_id', '=', target.identity_id)
    .execute()
  const detail = { email: target.email, from: target.role, to: role }
  await recordAuditEvent(ctx, 'member.role', { kind: 'member', id: target.identity_id }, detail)
  await recheckStreams(ctx)
  return { ...target, role }
}

/** The row stays for the history; issues stay assigned until someone else takes them over. */
export async function endMembership(
  ctx: Ctx,
  target: Row,
  action: 'member.remove' | 'member.leave' | 'member.deactivate',
): Promise<void> {
  await ctx.tx
    .updateTable('member')
    .set({ left_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('identity_id', '=', target.identity_id)
    .execute()
  const tokens = await ctx.tx
    .deleteFrom('api_token')
    .where('account_id', '=', ctx.workspace)
    .where('created_by_id', '=', target.identity_id)
    .returning('name')
    .execute()
  const detail = { email: target.email, role: target.role, revokedTokens: tokens.map(({ name }) => name) }
  await recordAuditEvent(ctx, action, { kind: 'member', id: target.identity_id }, detail)
  await recheckStreams(ctx)
}

function toMember({ actor }: Ctx, row: Row): Member {
  return {
    id: row.identity_id,
    name: row.name,
    email: row.email,
    role: row.role,
    joinTime: row.joined_at.toISOString(),
    ...(row.last_used_at && { lastActiveTime: row.last_used_at.toISOString() }),
    isYou: actor.kind === 'person' && row.identity_id === actor.id,
  }
}
