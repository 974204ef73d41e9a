/** Sends, lists, and revokes the invitations of a workspace. */
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import { invitationDays, type Invitation } from '@glacis/contract/invitation'
import type * as contract from '@glacis/contract/invitation'
import { type Role, errorReasons } from '@glacis/contract/role'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import type { Tables } from '#database/tables.ts'
import { ApiError, notFound } from '#errors.ts'
import type { Jobs } from '#jobs.ts'
import { type Selectable, sql } from 'kysely'

const dayMs = 86_400_000
/** Limits mass mailing: emails per day, in total and to one address, and the minimum time before an invitation is resent. */
const mailsPerDayMax = 100
const mailsToAddressPerDayMax = 5
const resendAfterMs = 5 * 60_000

type Row = Selectable<Tables['invitation']>

export async function listInvitations(ctx: Ctx): Promise<{ invitations: Invitation[] }> {
  const rows = await pending(ctx).orderBy('id', 'desc').execute()
  return { invitations: rows.map((row) => toInvitation(ctx, row)) }
}

/**
 * @throws ApiError `conflict` for a member or a pending invitation; `forbidden` if an admin invites an owner;
 *   `quota_exceeded` for too many emails, in total or to this address
 */
export async function createInvitation(
  ctx: Ctx,
  jobs: Jobs,
  { invitation: { email, role } }: ParsedInputOf<typeof contract.createInvitation>,
): Promise<{ invitation: Invitation }> {
  requireOwnerFor(ctx, role)
  await lockForLimit(ctx, 'invitations')
  await rejectMember(ctx, email)
  const earlier = await pending(ctx)
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .executeTakeFirst()
  if (earlier && earlier.expires_at > ctx.now)
    throw new ApiError('conflict', `${email} already has a pending invitation. Resend or revoke it`, {
      reason: errorReasons.alreadyInvited,
      metadata: { invitationId: earlier.id },
    })
  if (earlier) await setRevoked(ctx, earlier.id)
  await limitMails(ctx, email)
  const row = await ctx.tx
    .insertInto('invitation')
    .values({
      account_id: ctx.workspace,
      id: newId(),
      email,
      role,
      invited_by: ctx.actor.name,
      created_at: ctx.now,
      sent_at: ctx.now,
      expires_at: expiry(ctx),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return sent(ctx, jobs, row, 'invitation.create')
}

/** @throws ApiError `not_found`; `quota_exceeded` within five minutes of the last email */
export async function resendInvitation(
  ctx: Ctx,
  jobs: Jobs,
  { id }: { id: string },
): Promise<{ invitation: Invitation }> {
  await lockForLimit(ctx, 'invitations')
  const earlier = await pending(ctx).where('id', '=', id).executeTakeFirst()
  if (!earlier) throw notFound('invitation', id)
  requireOwnerFor(ctx, earlier.role)
  const waitMs = earlier.sent_at.getTime() + resendAfterMs - ctx.now.getTime()
  if (waitMs > 0)
    throw new ApiError(
      'quota_exceeded',
      'The last email was sent less than 5 minutes ago. Wait before sending another',
      {
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      },
    )
  await limitMails(ctx, earlier.email)
  const row = await ctx.tx
    .updateTable('invitation')
    .set({ mails: sql`mails + 1`, sent_at: ctx.now, expires_at: expiry(ctx) })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return sent(ctx, jobs, row, 'invitation.resend')
}

/** @throws ApiError `not_found` */
export async function revokeInvitation(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  const revoked = await setRevoked(ctx, id)
  if (!revoked) throw notFound('invitation', id)
  await recordAuditEvent(ctx, 'invitation.revoke', { kind: 'invitation', id }, { email: revoked.email })
  return {}
}

function pending(ctx: Ctx) {
  return ctx.tx
    .selectFrom('invitation')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
}

function setRevoked(ctx: Ctx, id: string) {
  return ctx.tx
    .updateTable('invitation')
    .set({ revoked_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning('email')
    .executeTakeFirst()
}

async function sent(ctx: Ctx, jobs: Jobs, row: Row, action: string): Promise<{ invitation: Invitation }> {
  await jobs.enqueue(ctx.tx, 'invitation', { account: ctx.workspace, invitationId: row.id })
  await recordAuditEvent(ctx, action, { kind: 'invitation', id: row.id }, { email: row.email, role: row.role })
  return { invitation: toInvitation(ctx, row) }
}

function requireOwnerFor({ actor }: Ctx, role: Role): void {
  if (role !== 'owner' || actor.role === 'owner') return
  throw new ApiError('forbidden', 'Only an owner can invite an owner', {
    reason: errorReasons.role,
    metadata: { role: actor.role ?? '', allowedRoles: 'owner' },
  })
}

async function rejectMember(ctx: Ctx, email: string): Promise<void> {
  const member = await ctx.tx
    .selectFrom('member')
    .select('role')
    .where('account_id', '=', ctx.workspace)
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('left_at', 'is', null)
    .executeTakeFirst()
  if (!member) return
  throw new ApiError('conflict', `${email} is already a member with the role ${member.role}. Change the role instead`, {
    reason: errorReasons.alreadyMember,
  })
}

/** Counts revoked invitations too, so that revoking doesn't free up quota. */
async function limitMails(ctx: Ctx, email: string): Promise<void> {
  const isSame = sql`lower(email) = ${email.toLowerCase()}`
  const { total, same, oldest, oldestSame } = await ctx.tx
    .selectFrom('invitation')
    .select([
      sql<number>`coalesce(sum(mails), 0)::int`.as('total'),
      sql<number>`coalesce(sum(mails) filter (where ${isSame}), 0)::int`.as('same'),
      sql<Date | null>`min(sent_at)`.as('oldest'),
      sql<Date | null>`min(sent_at) filter (where ${isSame})`.as('oldestSame'),
    ])
    .where('account_id', '=', ctx.workspace)
    .where('sent_at', '>', new Date(ctx.now.getTime() - dayMs))
    .executeTakeFirstOrThrow()
  if (same >= mailsToAddressPerDayMax)
    throw new ApiError(
      'quota_exceeded',
      `${email} was already sent ${mailsToAddressPerDayMax} invitations in the last 24 hours. Try again tomorrow`,
      { retryAfterSeconds: secondsUntilUncounted(ctx, oldestSame) },
    )
  if (total >= mailsPerDayMax)
    throw new ApiError(
      'quota_exceeded',
      `A workspace can send at most ${mailsPerDayMax} invitations a day. Try again tomorrow`,
      { retryAfterSeconds: secondsUntilUncounted(ctx, oldest) },
    )
}

function secondsUntilUncounted({ now }: Ctx, sentAt: Date | null): number {
  return Math.ceil(((sentAt ?? now).getTime() + dayMs - now.getTime()) / 1000)
}

function expiry({ now }: Ctx): Date {
  return new Date(now.getTime() + invitationDays * dayMs)
}

function toInvitation(ctx: Ctx, row: Row): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    invitedBy: row.invited_by,
    createTime: row.created_at.toISOString(),
    sendTime: row.sent_at.toISOString(),
    expireTime: row.expires_at.toISOString(),
    isExpired: row.expires_at <= ctx.now,
  }
}
