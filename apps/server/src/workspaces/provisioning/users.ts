/** Provisioned users, and the memberships that follow from them. */
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { recheckStreams } from '#database/channels.ts'
import { newId } from '#database/index.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import { mapUniqueViolation } from '#database/unique-violation.ts'
import { becomeMember } from '#workspaces/join.ts'
import { endMembership, findMember, requireRemainingOwner } from '#workspaces/members.ts'
import { hasVerifiedDomain } from '#workspaces/provisioning/claim.ts'
import { type ListQuery, conditionOf } from '#workspaces/provisioning/list-query.ts'
import { applyPatch } from '#workspaces/provisioning/patch.ts'
import {
  type ScimService,
  type UserRow,
  type Versioned,
  describeUsers,
  requireVersion,
} from '#workspaces/provisioning/represent.ts'
import { type UserInput, readUser } from '#workspaces/provisioning/resource.ts'
import { roleRulesOf } from '#workspaces/provisioning/roles.ts'
import { ScimError } from '#workspaces/provisioning/scim-error.ts'
import { sql } from 'kysely'

/** Maximum number of users per workspace. */
const usersMax = 20_000

export interface Found {
  readonly total: number
  readonly resources: readonly Versioned[]
}

/** The users that match, oldest first. @throws ScimError `invalidFilter` */
export async function listUsers(ctx: Ctx, scim: ScimService, { filter, offset, count }: ListQuery): Promise<Found> {
  const matching = ctx.tx
    .selectFrom('provisioned_user')
    .where('account_id', '=', ctx.workspace)
    .where(conditionOf('User', filter))
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = count > 0 ? await matching.selectAll().orderBy('id').offset(offset).limit(count).execute() : []
  return { total, resources: await describeUsers(ctx, scim, rows) }
}

/** @throws ScimError 404 */
export async function getUser(ctx: Ctx, scim: ScimService, id: string): Promise<Versioned> {
  return describeUser(ctx, scim, await findUser(ctx, id))
}

/**
 * Makes the person a member, or lets them become one when they first sign in with the address.
 *
 * @throws ScimError `invalidValue`; `uniqueness` for a username that is already in use
 */
export async function createUser(ctx: Ctx, scim: ScimService, body: unknown): Promise<Versioned> {
  const input = readUser(body)
  await lockForLimit(ctx, 'members')
  await requireRoom(ctx)
  const { defaultRole } = await roleRulesOf(ctx)
  const row = await ctx.tx
    .insertInto('provisioned_user')
    .values({
      account_id: ctx.workspace,
      id: newId(),
      ...columnsOf(input),
      role: defaultRole,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) throw nameTaken(input)
  await recordUserEvent(ctx, 'create', row)
  return describeUser(ctx, scim, await applyMembership(ctx, scim, row))
}

/** @throws ScimError like `createUser`; 404; 409 for the last owner; 412 for another version */
export async function replaceUser(
  ctx: Ctx,
  scim: ScimService,
  id: string,
  body: unknown,
  version: string | undefined,
): Promise<Versioned> {
  return changeUser(ctx, scim, id, version, () => readUser(body))
}

/** @throws ScimError like `replaceUser`, and those of `applyPatch` */
export async function patchUser(
  ctx: Ctx,
  scim: ScimService,
  id: string,
  request: unknown,
  version: string | undefined,
): Promise<Versioned> {
  return changeUser(ctx, scim, id, version, ({ resource }) => readUser(applyPatch('User', resource, request)))
}

/** Ends the membership too. @throws ScimError 404; 409 for the last owner; 412 for another version */
export async function deleteUser(ctx: Ctx, scim: ScimService, id: string, version: string | undefined): Promise<void> {
  await lockForLimit(ctx, 'members')
  const row = await findUser(ctx, id)
  requireVersion(await describeUser(ctx, scim, row), version)
  await applyMembership(ctx, scim, { ...row, is_active: false })
  await ctx.tx.deleteFrom('provisioned_user').where('account_id', '=', ctx.workspace).where('id', '=', id).execute()
  await recordUserEvent(ctx, 'delete', row)
}

async function changeUser(
  ctx: Ctx,
  scim: ScimService,
  id: string,
  version: string | undefined,
  change: (current: Versioned) => UserInput,
): Promise<Versioned> {
  await lockForLimit(ctx, 'members')
  const current = await describeUser(ctx, scim, await findUser(ctx, id))
  requireVersion(current, version)
  const input = change(current)
  const row = await mapUniqueViolation(
    ctx.tx
      .updateTable('provisioned_user')
      .set({ ...columnsOf(input), updated_at: ctx.now })
      .where('account_id', '=', ctx.workspace)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(),
    () => nameTaken(input),
  )
  await recordUserEvent(ctx, 'update', row)
  return describeUser(ctx, scim, await applyMembership(ctx, scim, row))
}

/** Starts or ends the membership, if the person is known. @returns the user with the identity */
async function applyMembership(ctx: Ctx, scim: ScimService, row: UserRow): Promise<UserRow> {
  const linked = row.identity_id === null && row.is_active ? await link(ctx, scim, row) : row
  if (linked.identity_id === null) return linked
  const member = await findMember(ctx, linked.identity_id)
  if (member && !linked.is_active) {
    if (member.role === 'owner') await requireRemainingOwner(ctx, member.identity_id)
    await endMembership(ctx, member, 'member.deactivate')
  }
  if (!member && linked.is_active) await join(ctx, linked, linked.identity_id)
  return linked
}

async function link(ctx: Ctx, scim: ScimService, row: UserRow): Promise<UserRow> {
  if (row.email === null || !(await isInVerifiedDomain(ctx, row.email))) return row
  const person = await scim.findPerson(row.email)
  if (!person) return row
  await mapUniqueViolation(
    ctx.tx
      .updateTable('provisioned_user')
      .set({ identity_id: person.id })
      .where('account_id', '=', ctx.workspace)
      .where('id', '=', row.id)
      .execute(),
    () => new ScimError(409, `Another user already has the address ${row.email}`, 'uniqueness'),
  )
  return { ...row, identity_id: person.id }
}

async function isInVerifiedDomain(ctx: Ctx, email: string): Promise<boolean> {
  const { rows } = await sql<{
    is: boolean
  }>`select ${hasVerifiedDomain(sql`${ctx.workspace}::uuid`, email)} as is`.execute(ctx.tx)
  return rows[0]?.is === true
}

/** Uses the provider's name until the user visits: an address must not reveal the name of its account. */
async function join(ctx: Ctx, { attributes, user_name, email, role }: UserRow, identityId: string): Promise<void> {
  const { formatted, givenName = '', familyName = '' } = attributes.name ?? {}
  const name = attributes.displayName ?? formatted ?? (`${givenName} ${familyName}`.trim() || user_name)
  const person = { identityId, name, email: email ?? '', isVerified: true }
  await becomeMember(ctx, person, role, { isVisiting: false })
  await recordAuditEvent(ctx, 'member.join', { kind: 'member', id: identityId }, { email, role, isProvisioned: true })
  await recheckStreams(ctx)
}

async function findUser(ctx: Ctx, id: string): Promise<UserRow> {
  const row = await ctx.tx
    .selectFrom('provisioned_user')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where(sql<boolean>`id::text = ${id.toLowerCase()}`)
    .executeTakeFirst()
  if (!row) throw new ScimError(404, `No user has the ID ${id.slice(0, 100)}`)
  return row
}

async function describeUser(ctx: Ctx, scim: ScimService, row: UserRow): Promise<Versioned> {
  const [described] = await describeUsers(ctx, scim, [row])
  if (!described) throw new Error('describeUsers returns a resource for each row')
  return described
}

function columnsOf({ userName, externalId, email, attributes, isActive }: UserInput) {
  return {
    user_name: userName,
    external_id: externalId,
    email,
    attributes: JSON.stringify(attributes),
    is_active: isActive,
  }
}

async function requireRoom(ctx: Ctx): Promise<void> {
  const { count } = await ctx.tx
    .selectFrom('provisioned_user')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', ctx.workspace)
    .executeTakeFirstOrThrow()
  if (count >= usersMax) throw new ScimError(403, `A workspace can have at most ${usersMax} provisioned users`)
}

async function recordUserEvent(ctx: Ctx, change: 'create' | 'update' | 'delete', row: UserRow): Promise<void> {
  const detail = { userName: row.user_name, email: row.email, isActive: row.is_active }
  await recordAuditEvent(ctx, `provisioned-user.${change}`, { kind: 'provisioned-user', id: row.id }, detail)
}

function nameTaken({ userName }: UserInput): ScimError {
  return new ScimError(409, `A user named ${userName} already exists`, 'uniqueness')
}
