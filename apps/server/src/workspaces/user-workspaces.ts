/** The workspaces of the signed-in person. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/workspace'
import type { Actor, Person } from '#ctx.ts'
import type { Database } from '#database/index.ts'
import { ApiError } from '#errors.ts'
import { accessOf } from '#installation/index.ts'
import { joinableBy } from '#workspaces/email-domains.ts'
import { claimProvisioned } from '#workspaces/provisioning/claim.ts'
import { insertWorkspace } from '#workspaces/membership.ts'
import { sql } from 'kysely'

const ownedMax = 10

type Lists = ResultOf<typeof contract.listWorkspaces>

export async function listWorkspaces({ owner }: Database, person: Person, actor?: Actor): Promise<Lists> {
  await claimProvisioned(owner, person, actor)
  const { isAdministrator } = await accessOf(owner, person.identityId)
  const { rows } = await sql<Omit<Lists['workspaces'][number], 'isDefault'>>`
    select workspace.id, workspace.name, member.role
    from member join workspace on workspace.id = member.account_id
    where member.identity_id = ${person.identityId} and member.left_at is null
    order by member.last_used_at desc nulls last, member.joined_at, workspace.id`.execute(owner)
  const workspaces = rows.map((row, index) => ({ ...row, isDefault: index === 0 }))
  // Only a verified address proves that the invitations and the domain are the person's own.
  if (!person.isVerified) return { workspaces, invitations: [], joinable: [], isAdministrator }
  const [invitations, joinable] = await Promise.all([invitationsTo({ owner }, person), joinableBy(owner, person)])
  return { workspaces, invitations, joinable, isAdministrator }
}

async function invitationsTo({ owner }: Pick<Database, 'owner'>, { email }: Person): Promise<Lists['invitations']> {
  const { rows } = await sql<Omit<Lists['invitations'][number], 'expireTime'> & { expires_at: Date }>`
    select invitation.id, workspace.name as "workspaceName", invitation.role, invitation.invited_by as "invitedBy",
           invitation.expires_at
    from invitation join workspace on workspace.id = invitation.account_id
    where lower(invitation.email) = ${email.toLowerCase()} and accepted_at is null and revoked_at is null
      and expires_at > now()
    order by invitation.id`.execute(owner)
  return rows.map(({ expires_at, ...row }) => ({ ...row, expireTime: expires_at.toISOString() }))
}

/** @throws ApiError `precondition` for a person who owns 10 workspaces */
export async function createWorkspace(
  { owner }: Database,
  person: Person,
  { workspace: { name } }: ParsedInputOf<typeof contract.createWorkspace>,
): Promise<ResultOf<typeof contract.createWorkspace>> {
  return owner.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`owned workspaces ${person.identityId}`}, 0))`.execute(tx)
    const { count } = await tx
      .selectFrom('member')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('identity_id', '=', person.identityId)
      .where('role', '=', 'owner')
      .where('left_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (count >= ownedMax)
      throw new ApiError('precondition', `You can own at most ${ownedMax} workspaces. Delete or leave one first`)
    const { workspace } = await insertWorkspace(tx, person, name)
    return { workspace: { id: workspace, name, role: 'owner', isDefault: true } }
  })
}
