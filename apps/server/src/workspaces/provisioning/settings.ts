/** Settings of provisioning, as members see them. */
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/provisioning'
import type { PendingMember, ProvisionedGroup, Provisioning } from '@glacis/contract/provisioning'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import { masked, requireUnchanged } from '#errors.ts'
import { applyRoles, roleRulesOf } from '#workspaces/provisioning/roles.ts'
import { listTokens } from '#workspaces/provisioning/tokens.ts'
import { sql } from 'kysely'

/** Maximum number of pending members in the response. */
const pendingMax = 500

interface Place {
  /** Base URL of the SCIM service. */
  readonly url: string
}

export async function getProvisioning(ctx: Ctx, { url }: Place): Promise<{ provisioning: Provisioning }> {
  const { defaultRole, groupRoles } = await roleRulesOf(ctx)
  const [tokens, groups, pendingMembers, userCount] = [
    await listTokens(ctx),
    await groupsOf(ctx),
    await pendingOf(ctx),
    await countUsers(ctx),
  ]
  return {
    provisioning: { url, defaultRole, groupRoles: [...groupRoles], tokens, groups, pendingMembers, userCount },
  }
}

/**
 * @throws ApiError `invalid` for a field that can't be changed; `conflict` if the settings are no longer those that the request
 *   replaces
 */
export async function updateProvisioning(
  ctx: Ctx,
  place: Place,
  { provisioning, updateMask, replaces = {} }: ParsedInputOf<typeof contract.updateProvisioning>,
): Promise<{ provisioning: Provisioning }> {
  const { defaultRole, groupRoles } = masked(provisioning, updateMask.paths, ['defaultRole', 'groupRoles'])
  await lockForLimit(ctx, 'members')
  const current = await roleRulesOf(ctx)
  requireUnchanged(replaces.defaultRole, current.defaultRole)
  requireUnchanged(replaces.groupRoles, current.groupRoles)
  const values = {
    ...(defaultRole && { default_role: defaultRole }),
    ...(groupRoles && { group_roles: JSON.stringify(groupRoles) }),
  }
  await ctx.tx
    .insertInto('provisioning')
    .values({ account_id: ctx.workspace, group_roles: '[]', ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute()
  await recordAuditEvent(
    ctx,
    'provisioning.update',
    { kind: 'workspace', id: ctx.workspace },
    { defaultRole, groupRoles },
  )
  await applyRoles(ctx)
  return getProvisioning(ctx, place)
}

async function groupsOf(ctx: Ctx): Promise<ProvisionedGroup[]> {
  const { rows } = await sql<ProvisionedGroup>`
    select id, name, (select count(*)::int from provisioned_group_user as link
                      where link.account_id = grp.account_id and link.group_id = grp.id) as "memberCount"
    from provisioned_group as grp where account_id = ${ctx.workspace}
    order by lower(name), id`.execute(ctx.tx)
  return rows
}

async function pendingOf(ctx: Ctx): Promise<PendingMember[]> {
  const { rows } = await sql<PendingMember>`
    select id, coalesce(attributes ->> 'displayName', user_name) as name, coalesce(email, '') as email, role
    from provisioned_user
    where account_id = ${ctx.workspace} and identity_id is null and is_active
    order by id limit ${pendingMax}`.execute(ctx.tx)
  return rows
}

async function countUsers(ctx: Ctx): Promise<Provisioning['userCount']> {
  const { rows } = await sql<Provisioning['userCount']>`
    select count(*) filter (where is_active)::int as active, count(*) filter (where not is_active)::int as inactive
    from provisioned_user where account_id = ${ctx.workspace}`.execute(ctx.tx)
  return rows[0] ?? { active: 0, inactive: 0 }
}
