/** Groups of the identity provider, which map to roles. */
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import { type ListQuery, conditionOf } from '#workspaces/provisioning/list-query.ts'
import { applyPatch } from '#workspaces/provisioning/patch.ts'
import {
  type GroupRow,
  type ScimService,
  type Versioned,
  describeGroups,
  requireVersion,
} from '#workspaces/provisioning/represent.ts'
import { type GroupInput, readGroup } from '#workspaces/provisioning/resource.ts'
import { applyRoles } from '#workspaces/provisioning/roles.ts'
import { ScimError, badValue } from '#workspaces/provisioning/scim-error.ts'
import type { Found } from '#workspaces/provisioning/users.ts'
import { sql } from 'kysely'

/** Maximum number of groups per workspace. */
const groupsMax = 1000

/** The groups that match, oldest first. @throws ScimError `invalidFilter` */
export async function listGroups(
  ctx: Ctx,
  scim: ScimService,
  { filter, offset, count }: ListQuery,
  options: { withMembers?: boolean } = {},
): Promise<Found> {
  const matching = ctx.tx
    .selectFrom('provisioned_group')
    .where('account_id', '=', ctx.workspace)
    .where(conditionOf('Group', filter))
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = count > 0 ? await matching.selectAll().orderBy('id').offset(offset).limit(count).execute() : []
  return { total, resources: await describeGroups(ctx, scim, rows, options) }
}

/** @throws ScimError 404 */
export async function getGroup(ctx: Ctx, scim: ScimService, id: string): Promise<Versioned> {
  return describeGroup(ctx, scim, await findGroup(ctx, id))
}

/** @throws ScimError `invalidValue`, including for a member that isn't a user */
export async function createGroup(ctx: Ctx, scim: ScimService, body: unknown): Promise<Versioned> {
  const input = readGroup(body)
  await lockForLimit(ctx, 'members')
  await requireRoom(ctx)
  const row = await ctx.tx
    .insertInto('provisioned_group')
    .values({
      account_id: ctx.workspace,
      id: newId(),
      name: input.name,
      external_id: input.externalId,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await setUsers(ctx, row.id, input.userIds)
  await applyRoles(ctx, input.userIds)
  await recordGroupEvent(ctx, 'create', row, input.userIds.length)
  return describeGroup(ctx, scim, row)
}

/** @throws ScimError like `createGroup`; 404; 412 for another version */
export async function replaceGroup(
  ctx: Ctx,
  scim: ScimService,
  id: string,
  body: unknown,
  version: string | undefined,
): Promise<Versioned> {
  return changeGroup(ctx, scim, id, version, () => readGroup(body))
}

/** @throws ScimError like `replaceGroup`, and those of `applyPatch` */
export async function patchGroup(
  ctx: Ctx,
  scim: ScimService,
  id: string,
  request: unknown,
  version: string | undefined,
): Promise<Versioned> {
  return changeGroup(ctx, scim, id, version, ({ resource }) => readGroup(applyPatch('Group', resource, request)))
}

/** @throws ScimError 404; 412 for another version */
export async function deleteGroup(ctx: Ctx, scim: ScimService, id: string, version: string | undefined): Promise<void> {
  await lockForLimit(ctx, 'members')
  const row = await findGroup(ctx, id)
  requireVersion(await describeGroup(ctx, scim, row), version)
  const userIds = await usersOf(ctx, row.id)
  await ctx.tx
    .deleteFrom('provisioned_group')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', row.id)
    .execute()
  await applyRoles(ctx, userIds)
  await recordGroupEvent(ctx, 'delete', row, userIds.length)
}

async function changeGroup(
  ctx: Ctx,
  scim: ScimService,
  id: string,
  version: string | undefined,
  change: (current: Versioned) => GroupInput,
): Promise<Versioned> {
  await lockForLimit(ctx, 'members')
  const before = await findGroup(ctx, id)
  const current = await describeGroup(ctx, scim, before)
  requireVersion(current, version)
  const { name, externalId, userIds } = change(current)
  const row = await ctx.tx
    .updateTable('provisioned_group')
    .set({ name, external_id: externalId, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const formerUsers = await usersOf(ctx, row.id)
  await setUsers(ctx, row.id, userIds)
  await applyRoles(ctx, [...new Set([...formerUsers, ...userIds])])
  await recordGroupEvent(ctx, 'update', row, userIds.length)
  return describeGroup(ctx, scim, row)
}

async function usersOf(ctx: Ctx, groupId: string): Promise<string[]> {
  const rows = await ctx.tx
    .selectFrom('provisioned_group_user')
    .select('user_id')
    .where('account_id', '=', ctx.workspace)
    .where('group_id', '=', groupId)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** @throws ScimError `invalidValue` for an ID that isn't of a user */
async function setUsers(ctx: Ctx, groupId: string, userIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select given.id from unnest(${userIds}::uuid[]) as given (id)
    where not exists (
      select from provisioned_user as usr where usr.account_id = ${ctx.workspace} and usr.id = given.id)
    limit 1`.execute(ctx.tx)
  const [missing] = rows
  if (missing) throw badValue(`No user has the ID ${missing.id}`)
  await sql`
    delete from provisioned_group_user
    where account_id = ${ctx.workspace} and group_id = ${groupId} and user_id <> all(${userIds}::uuid[])`.execute(
    ctx.tx,
  )
  await sql`
    insert into provisioned_group_user (account_id, group_id, user_id)
    select ${ctx.workspace}::uuid, ${groupId}::uuid, given.id from unnest(${userIds}::uuid[]) as given (id)
    on conflict do nothing`.execute(ctx.tx)
}

async function findGroup(ctx: Ctx, id: string): Promise<GroupRow> {
  const row = await ctx.tx
    .selectFrom('provisioned_group')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where(sql<boolean>`id::text = ${id.toLowerCase()}`)
    .executeTakeFirst()
  if (!row) throw new ScimError(404, `No group has the ID ${id.slice(0, 100)}`)
  return row
}

async function describeGroup(ctx: Ctx, scim: ScimService, row: GroupRow): Promise<Versioned> {
  const [described] = await describeGroups(ctx, scim, [row])
  if (!described) throw new Error('describeGroups returns a resource for each row')
  return described
}

async function requireRoom(ctx: Ctx): Promise<void> {
  const { count } = await ctx.tx
    .selectFrom('provisioned_group')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', ctx.workspace)
    .executeTakeFirstOrThrow()
  if (count >= groupsMax) throw new ScimError(403, `A workspace can have at most ${groupsMax} groups`)
}

async function recordGroupEvent(
  ctx: Ctx,
  change: 'create' | 'update' | 'delete',
  { id, name }: GroupRow,
  memberCount: number,
): Promise<void> {
  await recordAuditEvent(ctx, `provisioned-group.${change}`, { kind: 'provisioned-group', id }, { name, memberCount })
}
