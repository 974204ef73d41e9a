/** The roles of provisioned users, from their groups. */
import type { GroupRole, GroupRoleName } from '@glacis/contract/group-role'
import { recordAuditEvents } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { recheckStreams } from '#database/channels.ts'
import { sql } from 'kysely'

export interface RoleRules {
  readonly defaultRole: GroupRoleName
  /** In order of precedence. */
  readonly groupRoles: readonly GroupRole[]
}

export async function roleRulesOf(ctx: Ctx): Promise<RoleRules> {
  const row = await ctx.tx
    .selectFrom('provisioning')
    .select(['default_role', 'group_roles'])
    .where('account_id', '=', ctx.workspace)
    .executeTakeFirst()
  return { defaultRole: row?.default_role ?? 'viewer', groupRoles: row?.group_roles ?? [] }
}

/** The role of the first listed group that the person is in; undefined if they are in none. */
export function roleFromGroups(groupRoles: readonly GroupRole[], groups: readonly string[]): GroupRoleName | undefined {
  return groupRoles.find(({ group }) => groups.includes(group))?.role
}

/**
 * Recomputes the roles of provisioned users and applies those that changed to their memberships. Owners stay owners.
 *
 * @param userIds default: all
 */
export async function applyRoles(ctx: Ctx, userIds?: readonly string[]): Promise<void> {
  if (userIds?.length === 0) return
  const { defaultRole, groupRoles } = await roleRulesOf(ctx)
  const { rows } = await sql<{ id: string; role: GroupRoleName; identity_id: string | null; groups: string[] }>`
    select usr.id, usr.role, usr.identity_id,
           array(select name from provisioned_group_user as link
                 join provisioned_group as grp on grp.account_id = link.account_id and grp.id = link.group_id
                 where link.account_id = usr.account_id and link.user_id = usr.id) as groups
    from provisioned_user as usr
    where usr.account_id = ${ctx.workspace} and (${userIds === undefined} or usr.id = any(${userIds ?? []}::uuid[]))`.execute(
    ctx.tx,
  )
  const changed = rows
    .map((row) => ({ ...row, newRole: roleFromGroups(groupRoles, row.groups) ?? defaultRole }))
    .filter(({ role, newRole }) => role !== newRole)
  for (const [role, users] of Map.groupBy(changed, ({ newRole }) => newRole)) await setRoles(ctx, role, users)
  if (changed.length > 0) await recheckStreams(ctx)
}

async function setRoles(
  ctx: Ctx,
  role: GroupRoleName,
  users: readonly { readonly id: string; readonly identity_id: string | null }[],
): Promise<void> {
  const ids = users.map(({ id }) => id)
  await sql`
    update provisioned_user set role = ${role}
    where account_id = ${ctx.workspace} and id = any(${ids}::uuid[])`.execute(ctx.tx)
  const identities = users.flatMap(({ identity_id }) => identity_id ?? [])
  const { rows } = await sql<{ identity_id: string }>`
    update member set role = ${role}
    where account_id = ${ctx.workspace} and identity_id = any(${identities}::text[])
      and left_at is null and role not in ('owner', ${role})
    returning identity_id`.execute(ctx.tx)
  const members = rows.map(({ identity_id }) => identity_id)
  await recordAuditEvents(ctx, 'member.role', 'member', members, { to: role, from: 'group' })
}
