/** How people become members: by invitation, or by the domain of their verified email address. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/invitation'
import type { JoinableWorkspace, joinWorkspace as joinContract } from '@glacis/contract/workspace'
import { type Role, errorReasons } from '@glacis/contract/role'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx, Person, Visit } from '#ctx.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import { ApiError, invalid, notFound } from '#errors.ts'
import { listWorkspaces } from '#workspaces/user-workspaces.ts'
import { readInvitationToken } from '#workspaces/invitation-token.ts'

interface Joining {
  readonly database: Database
  /** The secret of the installation. */
  readonly secret: string
}

/** @throws ApiError `not_found` for a link that isn't genuine; otherwise like `acceptInvitation` */
export async function previewInvitation(
  joining: Joining,
  { person }: Visit,
  { token }: ParsedInputOf<typeof contract.previewInvitation>,
): Promise<ResultOf<typeof contract.previewInvitation>> {
  const found = await findInvitation(joining, person, { token })
  return {
    invitation: {
      id: found.id,
      workspaceName: found.workspace_name,
      role: found.role,
      invitedBy: found.invited_by,
      expireTime: found.expires_at.toISOString(),
    },
  }
}

/**
 * Makes the person a member. The link alone grants nothing: the verified email address must be the invited one.
 *
 * @throws ApiError `precondition` for an invitation that was used, revoked, or has expired; `forbidden` for another or
 *   unverified address; `conflict` for a member
 */
export async function acceptInvitation(
  joining: Joining,
  { person, actor, log }: Visit,
  input: ParsedInputOf<typeof contract.acceptInvitation>,
): Promise<ResultOf<typeof contract.acceptInvitation>> {
  const found = await findInvitation(joining, person, input)
  requireVerified(person)
  const as = { workspace: found.account_id, actor: { ...actor, role: found.role }, log }
  return inWorkspace(joining.database, as, async (ctx) => {
    await becomeMember(ctx, person, found.role)
    // Conditional, so that concurrent requests can't use it twice, nor after it was revoked.
    const accepted = await ctx.tx
      .updateTable('invitation')
      .set({ accepted_at: ctx.now })
      .where('account_id', '=', ctx.workspace)
      .where('id', '=', found.id)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (!accepted) throw stale('used')
    const detail = { email: person.email, role: found.role, invitedBy: found.invited_by }
    await recordAuditEvent(ctx, 'member.join', { kind: 'member', id: person.identityId }, detail)
    return { workspaceId: ctx.workspace, workspaceName: found.workspace_name, role: found.role }
  })
}

/** @throws ApiError `not_found` for a workspace that doesn't admit the person's domain */
export async function joinWorkspace(
  { database }: Pick<Joining, 'database'>,
  { person, actor, log }: Visit,
  { id }: ParsedInputOf<typeof joinContract>,
): Promise<ResultOf<typeof joinContract>> {
  const { joinable } = await listWorkspaces(database, person)
  const found: JoinableWorkspace | undefined = joinable.find((workspace) => workspace.id === id)
  if (!found) throw notFound('workspace', id)
  return inWorkspace(database, { workspace: id, actor: { ...actor, role: found.role }, log }, async (ctx) => {
    await becomeMember(ctx, person, found.role)
    const detail = { email: person.email, role: found.role, domain: found.domain }
    await recordAuditEvent(ctx, 'member.join', { kind: 'member', id: person.identityId }, detail)
    return { workspace: { id, name: found.name, role: found.role, isDefault: true } }
  })
}

async function findInvitation(
  { database, secret }: Joining,
  person: Person,
  { token, id }: { token?: string | undefined; id?: string | undefined },
) {
  const key = token === undefined ? null : readInvitationToken(secret, token)
  if (token !== undefined && !key) throw notFoundLink()
  const wanted = key?.id ?? id
  if (wanted === undefined) throw invalid('token', 'Pass the token or the ID of the invitation')
  const found = await database.owner
    .selectFrom('invitation')
    .innerJoin('workspace', 'workspace.id', 'invitation.account_id')
    .selectAll('invitation')
    .select('workspace.name as workspace_name')
    .where('invitation.id', '=', wanted)
    .executeTakeFirst()
  const isTheirs = found?.email.toLowerCase() === person.email.toLowerCase()
  // Without the link, the invitations of other people must not be distinguishable from none.
  if (!found || (!key && !isTheirs)) throw key ? notFoundLink() : notFound('invitation', wanted)
  if (!isTheirs) throw otherAddress(found.email)
  if (found.accepted_at) throw stale('used')
  if (found.revoked_at || (key && key.mails !== found.mails)) throw stale('revoked')
  if (found.expires_at <= new Date()) throw stale('expired')
  return found
}

function notFoundLink(): ApiError {
  return new ApiError('not_found', 'This invitation link is incomplete or invalid. Open the link from the email again')
}

function stale(state: 'used' | 'revoked' | 'expired'): ApiError {
  const messages = {
    used: 'This invitation was already used. Ask for a new one if you still need access',
    revoked: 'This invitation was revoked, or replaced by a newer email. Use the latest email or ask for a new one',
    expired: 'This invitation has expired. Ask the person who invited you to send it again',
  }
  return new ApiError('precondition', messages[state], { reason: errorReasons[state] })
}

function otherAddress(email: string): ApiError {
  const masked = email.replace(/^(.).*(@.*)$/u, '$1…$2')
  const message = `This invitation is for ${masked}. Sign in with that address`
  return new ApiError('forbidden', message, { reason: errorReasons.otherAddress, metadata: { email: masked } })
}

function requireVerified({ email, isVerified }: Person): void {
  if (isVerified) return
  const message = `Verify your email address ${email} first to accept this invitation`
  throw new ApiError('forbidden', message, { reason: errorReasons.unverified })
}

/**
 * A former member becomes one again, with the new role.
 *
 * @param isVisiting the person opens the workspace now, so it becomes their default one
 * @throws ApiError `conflict` for a member
 */
export async function becomeMember(
  ctx: Ctx,
  { identityId, name, email }: Person,
  role: Role,
  { isVisiting = true } = {},
): Promise<void> {
  const used = isVisiting ? { last_used_at: ctx.now } : {}
  const joined = await ctx.tx
    .insertInto('member')
    .values({
      account_id: ctx.workspace,
      identity_id: identityId,
      role,
      name,
      email,
      joined_at: ctx.now,
      ...used,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'identity_id'])
        .doUpdateSet({ role, name, email, joined_at: ctx.now, ...used, left_at: null })
        .where('member.left_at', 'is not', null),
    )
    .returning('role')
    .executeTakeFirst()
  if (joined) return
  throw new ApiError('conflict', 'You are already a member of this workspace', { reason: errorReasons.alreadyMember })
}
