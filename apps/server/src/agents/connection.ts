/** Agent connections: connect, heartbeat every 20 seconds, disconnect, or time out. */
import type { DisconnectReason } from '@glacis/contract/agent'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import { type connectAgent, type heartbeatAgent, runnerProtocol } from '@glacis/contract/runner'
import { heartbeatSeconds, heartbeatTimeoutMs } from '#agents/describe.ts'
import { type AgentIdentity, issueSecret, revokeSecrets, consumeToken } from '#agents/keys.ts'
import { rejectDuplicateProcess } from '#agents/duplicate-process.ts'
import { recordAuditEvent } from '#audit.ts'
import { type Ctx, systemActor, type Log } from '#ctx.ts'
import { type Database, inWorkspace, newId } from '#database/index.ts'
import { forEachSettled } from '#for-each-settled.ts'
import { storable } from '#database/text.ts'
import { ApiError } from '#errors.ts'
import { announce } from '#notifications/index.ts'
import { version } from '#version.ts'
import { sql } from 'kysely'

/**
 * Connects an agent. A token is exchanged for a key, and earlier keys are revoked. An existing
 * connection is replaced, because an agent is a single process.
 *
 * @throws ApiError `precondition` for an incompatible protocol version; `unauthenticated` if the
 * token was used concurrently; `unavailable` while the agent runs on another machine
 */
export async function connect(
  ctx: Ctx,
  agent: AgentIdentity,
  input: ParsedInputOf<typeof connectAgent>,
): Promise<ResultOf<typeof connectAgent>> {
  if (input.protocol !== runnerProtocol) throw new ApiError('precondition', protocolError(input))
  const key =
    agent.kind === 'TOKEN' ? await exchangeToken(ctx, agent) : await rejectDuplicateProcess(ctx, agent.agentId, input)
  await endPreviousConnection(ctx, agent.agentId)
  const connectionId = newId()
  await ctx.tx
    .insertInto('agent_connection')
    .values({
      account_id: ctx.workspace,
      id: connectionId,
      agent_id: agent.agentId,
      connected_at: ctx.now,
      disconnected_at: null,
      reason: null,
      version: storable(input.version),
      address: ctx.actor.ip,
    })
    .execute()
  await ctx.tx
    .updateTable('agent')
    .set({
      version: storable(input.version),
      system: storable(input.system),
      hostname: storable(input.hostname),
      networks: JSON.stringify(input.networks.map(storable)),
      clock_ahead_ms: aheadOf(ctx, input.time),
      latency_ms: null,
      is_notice_due: false,
      connection_id: connectionId,
      instance_id: input.instance,
      last_seen_at: ctx.now,
    })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', agent.agentId)
    .execute()
  await announceAgent(ctx, agent.agentId, 'EVENT_AGENT_CONNECTED', `Agent ${agent.name} is connected`)
  ctx.log.info({ agentId: agent.agentId, version: input.version }, 'agent connected')
  return {
    agentId: agent.agentId,
    name: agent.name,
    ...(key && { key }),
    heartbeatInterval: `${heartbeatSeconds}s`,
    latestVersion: version,
    serverTime: ctx.now.toISOString(),
  }
}

/**
 * An agent that reconnects before its timeout was recorded still counts as lost since its last
 * heartbeat.
 */
async function endPreviousConnection(ctx: Ctx, agentId: string): Promise<void> {
  if (!(await closeIfSilent(ctx, agentId))) await endConnection(ctx, agentId, 'REASON_REPLACED', ctx.now)
}

function protocolError({ protocol, version: agentProtocol }: ParsedInputOf<typeof connectAgent>): string {
  const [older, newer] = protocol < runnerProtocol ? ['agent', 'server'] : ['server', 'agent']
  return `The ${older} is too old for this ${newer} (agent ${agentProtocol}, server ${version}). Update the ${older}`
}

async function exchangeToken(ctx: Ctx, agent: AgentIdentity): Promise<string> {
  if (!(await consumeToken(ctx, agent))) throw new ApiError('unauthenticated', 'This token has already been used')
  await revokeSecrets(ctx, agent.agentId, 'KEY')
  const key = await issueSecret(ctx, agent.agentId, 'KEY')
  await recordAuditEvent(ctx, 'agent.enrol', { kind: 'agent', id: agent.agentId })
  return key
}

/** Whether the connecting process differs from the previous one. */
export async function isNewProcess(ctx: Ctx, agentId: string, instance: string): Promise<boolean> {
  const row = await ctx.tx
    .selectFrom('agent')
    .select('instance_id')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', agentId)
    .forUpdate()
    .executeTakeFirst()
  return row?.instance_id !== instance
}

/**
 * Records a heartbeat with one statement instead of a transaction, because heartbeats are most of the requests of a large
 * installation. It uses the owner's connection, like the authentication before it.
 *
 * @throws ApiError `conflict` if the agent disconnected, timed out, or never connected: it has to
 * connect first
 */
export async function heartbeat(
  { owner }: Pick<Database, 'owner'>,
  agent: AgentIdentity,
  { latency, time }: ParsedInputOf<typeof heartbeatAgent>,
): Promise<ResultOf<typeof heartbeatAgent>> {
  const latencyMs = latency === undefined ? null : Math.min(600_000, Math.round(Number.parseFloat(latency) * 1000))
  const now = new Date()
  const aheadMs = aheadOf({ now }, time)
  const isMeasured = latencyMs !== null && latencyMs >= 0
  const { rows } = await sql<{ has_inventory: boolean }>`
    update agent
    set last_seen_at = ${now}, clock_ahead_ms = ${aheadMs},
      latency_ms = case when ${isMeasured} then ${latencyMs}::integer else latency_ms end
    where account_id = ${agent.workspace} and id = ${agent.agentId} and connection_id is not null
    returning has_inventory`.execute(owner)
  const [row] = rows
  if (!row) throw new ApiError('conflict', 'This agent is not connected. Connect first')
  return { serverTime: now.toISOString(), latestVersion: version, inventory: row.has_inventory }
}

/** Disconnects an agent that shuts down cleanly. */
export async function disconnect(ctx: Ctx, agent: AgentIdentity): Promise<Record<string, never>> {
  await endConnection(ctx, agent.agentId, 'REASON_STOPPED', ctx.now)
  ctx.log.info({ agentId: agent.agentId }, 'agent disconnected')
  return {}
}

/** Closes the agent's connection, if any, and records the reason. */
export async function endConnection(ctx: Ctx, agentId: string, reason: DisconnectReason, at: Date): Promise<void> {
  await ctx.tx
    .updateTable('agent')
    .set({ connection_id: null, latency_ms: null, is_notice_due: true })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', agentId)
    .where('connection_id', 'is not', null)
    .execute()
  await ctx.tx
    .updateTable('agent_connection')
    .set({ disconnected_at: at, reason })
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', agentId)
    .where('disconnected_at', 'is', null)
    .execute()
}

/**
 * How long an agent is disconnected before a notification is sent, so that a reboot doesn't trigger
 * one.
 */
const announceAfterMs = 5 * 60_000

/**
 * Closes the connections of agents that stopped sending heartbeats, and notifies about those that
 * stay disconnected.
 */
export async function disconnectLost(database: Database, log: Log): Promise<void> {
  const silent = await database.owner
    .selectFrom('agent')
    .select(['account_id', 'id'])
    .where('connection_id', 'is not', null)
    .where('last_seen_at', '<', new Date(Date.now() - heartbeatTimeoutMs))
    .limit(1000)
    .execute()
  await forEachSettled(silent, ({ account_id, id }) =>
    inWorkspace(database, { workspace: account_id, actor: systemActor, log }, (ctx) => disconnectIfLost(ctx, id)),
  )
  const away = await database.owner
    .selectFrom('agent')
    .select(['account_id', 'id'])
    .where('is_notice_due', '=', true)
    .where('last_seen_at', '<', new Date(Date.now() - announceAfterMs))
    .limit(1000)
    .execute()
  await forEachSettled(away, ({ account_id, id }) =>
    inWorkspace(database, { workspace: account_id, actor: systemActor, log }, (ctx) => announceIfDisconnected(ctx, id)),
  )
}

async function announceIfDisconnected(ctx: Ctx, id: string): Promise<void> {
  const agent = await ctx.tx
    .updateTable('agent')
    .set({ is_notice_due: false })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .where('is_notice_due', '=', true)
    .where('connection_id', 'is', null)
    .returning('name')
    .executeTakeFirst()
  if (agent) await announceAgent(ctx, id, 'EVENT_AGENT_DISCONNECTED', `Agent ${agent.name} is disconnected`)
}

async function announceAgent(
  ctx: Ctx,
  id: string,
  kind: 'EVENT_AGENT_CONNECTED' | 'EVENT_AGENT_DISCONNECTED',
  title: string,
): Promise<void> {
  const targets = await ctx.tx
    .selectFrom('target')
    .select('id')
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
  const targetIds = targets.map((target) => target.id)
  await announce(ctx, [{ kind, title, resource: { kind: 'agent', id }, ...(targetIds.length > 0 && { targetIds }) }])
}

async function disconnectIfLost(ctx: Ctx, id: string): Promise<void> {
  // The agent may have reconnected since the query.
  if (await closeIfSilent(ctx, id)) ctx.log.warn({ agentId: id }, 'agent lost')
}

/**
 * Closes the connection of an agent that exceeded the timeout, as of its last heartbeat; returns
 * false otherwise.
 */
async function closeIfSilent(ctx: Ctx, id: string): Promise<boolean> {
  const row = await ctx.tx
    .selectFrom('agent')
    .select(['connection_id', 'last_seen_at'])
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row?.connection_id || !row.last_seen_at) return false
  if (ctx.now.getTime() - row.last_seen_at.getTime() < heartbeatTimeoutMs) return false
  await endConnection(ctx, id, 'REASON_LOST', row.last_seen_at)
  return true
}

function aheadOf({ now }: Pick<Ctx, 'now'>, time: string): number {
  const dayMs = 86_400_000
  return Math.max(-dayMs, Math.min(dayMs, Date.parse(time) - now.getTime()))
}
