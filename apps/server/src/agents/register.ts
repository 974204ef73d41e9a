import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/agent'
import type { Agent } from '@glacis/contract/agent'
import { endConnection } from '#agents/connection.ts'
import { issueSecret, revokeSecrets, tokenLifetimeMs } from '#agents/keys.ts'
import { getAgent } from '#agents/list.ts'
import { recordAuditEvent } from '#audit.ts'
import { consumeAgentQuota } from '#billing/index.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { invalid, masked, notFound } from '#errors.ts'

/**
 * Registers an agent. The response contains its token.
 *
 * @throws ApiError `quota_exceeded` if the plan's agent limit is reached; `invalid` for an end time in the past
 */
export async function createAgent(
  ctx: Ctx,
  { agent: { name, ...limits } }: ParsedInputOf<typeof contract.createAgent>,
): Promise<{ agent: Agent }> {
  const columns = limitColumns(ctx, limits)
  await consumeAgentQuota(ctx)
  const id = newId()
  await ctx.tx
    .insertInto('agent')
    .values({
      account_id: ctx.workspace,
      id,
      name,
      latency_ms: null,
      connection_id: null,
      instance_id: null,
      last_seen_at: null,
      ...creatorColumns(ctx),
      ...columns,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .execute()
  const token = await issueSecret(ctx, id, 'TOKEN')
  await recordAuditEvent(ctx, 'agent.create', { kind: 'agent', id }, { name, ...limits })
  return withToken(ctx, id, token)
}

/** @throws ApiError `not_found`; `invalid` for a path that cannot be changed or whose value is missing */
export async function updateAgent(
  ctx: Ctx,
  { id, agent, updateMask: { paths } }: ParsedInputOf<typeof contract.updateAgent>,
): Promise<{ agent: Agent }> {
  const { name, inventory, ...limits } = masked(agent, paths, ['name', 'inventory', 'allowedNetworks', 'expireTime'])
  await lock(ctx, id)
  await ctx.tx
    .updateTable('agent')
    .set({
      ...(name !== undefined && { name }),
      ...(inventory !== undefined && { has_inventory: inventory }),
      ...limitColumns(ctx, limits),
      updated_at: ctx.now,
    })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .execute()
  await recordAuditEvent(
    ctx,
    'agent.update',
    { kind: 'agent', id },
    {
      paths,
      ...limits,
      ...(inventory !== undefined && { inventory }),
    },
  )
  return getAgent(ctx, { id })
}

/**
 * Creates a new token and revokes unused ones. The actor becomes responsible for the agent. The current key expires immediately, when the new
 * token is exchanged, or after a day.
 *
 * @throws ApiError `not_found`
 */
export async function rotateToken(
  ctx: Ctx,
  { id, revokeOld }: ParsedInputOf<typeof contract.rotateAgentToken>,
): Promise<{ agent: Agent }> {
  await lock(ctx, id)
  await revokeSecrets(ctx, id, 'TOKEN')
  if (revokeOld) {
    await revokeSecrets(ctx, id, 'KEY')
    await endConnection(ctx, id, 'REASON_REVOKED', ctx.now)
  } else {
    await ctx.tx
      .updateTable('agent_key')
      .set({ expires_at: new Date(ctx.now.getTime() + tokenLifetimeMs) })
      .where('account_id', '=', ctx.workspace)
      .where('agent_id', '=', id)
      .where('expires_at', 'is', null)
      .execute()
  }
  await ctx.tx
    .updateTable('agent')
    .set(creatorColumns(ctx))
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .execute()
  const token = await issueSecret(ctx, id, 'TOKEN')
  await recordAuditEvent(ctx, 'agent.rotate', { kind: 'agent', id }, { revokeOld })
  return withToken(ctx, id, token)
}

/**
 * Deletes an agent with its secrets and log. Its targets move to the replacement. Without one, they keep the deleted
 * agent's name and are not scanned, because the same address in another network may be a different host.
 *
 * @throws ApiError `not_found`; `invalid` if the replacement doesn't exist or is the agent itself
 */
export async function deleteAgent(
  ctx: Ctx,
  { id, replacementId }: ParsedInputOf<typeof contract.deleteAgent>,
): Promise<Record<string, never>> {
  const agent = await lock(ctx, id)
  if (replacementId) await requireReplacement(ctx, id, replacementId)
  await ctx.tx
    .updateTable('target')
    .set({ agent_id: replacementId ?? null, former_agent: replacementId ? null : agent.name, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', id)
    .execute()
  await ctx.tx.deleteFrom('agent').where('account_id', '=', ctx.workspace).where('id', '=', id).execute()
  await recordAuditEvent(
    ctx,
    'agent.delete',
    { kind: 'agent', id },
    { name: agent.name, ...(replacementId && { replacementId }) },
  )
  return {}
}

function creatorColumns({ actor }: Ctx) {
  return { created_by: actor.name, created_by_id: actor.id ?? null }
}

interface Limits {
  readonly allowedNetworks?: readonly string[] | undefined
  readonly expireTime?: string | null | undefined
}

function limitColumns({ now }: Ctx, { allowedNetworks, expireTime }: Limits) {
  if (expireTime && new Date(expireTime) <= now) throw invalid('agent.expireTime', 'The end time is in the past')
  return {
    ...(allowedNetworks && { allowed_networks: [...allowedNetworks] }),
    ...(expireTime !== undefined && { expires_at: expireTime === null ? null : new Date(expireTime) }),
  }
}

async function requireReplacement(ctx: Ctx, id: string, replacementId: string): Promise<void> {
  if (replacementId === id) throw invalid('replacementId', "An agent can't replace itself")
  const row = await ctx.tx
    .selectFrom('agent')
    .select('id')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', replacementId)
    .executeTakeFirst()
  if (!row) throw invalid('replacementId', `No agent has the ID ${replacementId}`)
}

async function withToken(ctx: Ctx, id: string, token: string): Promise<{ agent: Agent }> {
  const { agent } = await getAgent(ctx, { id })
  return { agent: { ...agent, token } }
}

async function lock(ctx: Ctx, id: string): Promise<{ name: string }> {
  const row = await ctx.tx
    .selectFrom('agent')
    .select('name')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw notFound('agent', id)
  return row
}
