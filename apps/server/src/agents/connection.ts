/** Whether an agent is there: it connects, says every 20 seconds that it lives, and leaves or falls silent. */
import type { DisconnectReason } from '@glacis/contract/agent'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import { type connectAgent, type heartbeatAgent, runnerProtocol } from '@glacis/contract/runner'
import { heartbeatSeconds, silenceMs } from '#agents/describe.ts'
import { type AgentIdentity, issueSecret, revokeSecrets, spendToken } from '#agents/keys.ts'
import { refuseSecond } from '#agents/second.ts'
import { record } from '#audit.ts'
import { type Ctx, systemActor } from '#ctx.ts'
import { type Database, inAccount, newId } from '#database/index.ts'
import { onEach } from '#each.ts'
import { storable } from '#database/text.ts'
import { Refusal } from '#errors.ts'
import { announce } from '#notifications/index.ts'
import type { Log } from '#ctx.ts'
import { version } from '#version.ts'

/**
 * Takes an agent in. A token is swapped for a key, and the keys before it end; a connection that
 * still stood is replaced, because an agent is one process.
 *
 * @throws Refusal `precondition` when it speaks another protocol; `unauthenticated` when its token
 *   was used by somebody else at this very moment; `unavailable` while it runs on another machine
 */
export async function connect(
  ctx: Ctx,
  agent: AgentIdentity,
  input: ParsedInputOf<typeof connectAgent>,
): Promise<ResultOf<typeof connectAgent>> {
  if (input.protocol !== runnerProtocol) throw new Refusal('precondition', protocolWords(input))
  const key = agent.kind === 'TOKEN' ? await swap(ctx, agent) : await refuseSecond(ctx, agent.agentId, input)
  await endFormer(ctx, agent.agentId)
  const connectionId = newId()
  await ctx.tx
    .insertInto('agent_connection')
    .values({
      account_id: ctx.account,
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
    .where('account_id', '=', ctx.account)
    .where('id', '=', agent.agentId)
    .execute()
  await tell(ctx, agent.agentId, 'EVENT_AGENT_CONNECTED', `Agent ${agent.name} is connected`)
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

/** An agent that comes back before anybody noted its silence was lost all the same, and since then. */
async function endFormer(ctx: Ctx, agentId: string): Promise<void> {
  if (!(await noteSilence(ctx, agentId))) await endConnection(ctx, agentId, 'REASON_REPLACED', ctx.now)
}

function protocolWords({ protocol, version: theirs }: ParsedInputOf<typeof connectAgent>): string {
  const [older, newer] = protocol < runnerProtocol ? ['agent', 'server'] : ['server', 'agent']
  return `The ${older} is too old for the ${newer} (agent ${theirs}, server ${version}); update the ${older}`
}

async function swap(ctx: Ctx, agent: AgentIdentity): Promise<string> {
  if (!(await spendToken(ctx, agent))) throw new Refusal('unauthenticated', 'This token has been used already')
  await revokeSecrets(ctx, agent.agentId, 'KEY')
  const key = await issueSecret(ctx, agent.agentId, 'KEY')
  await record(ctx, 'agent.enrol', { kind: 'agent', id: agent.agentId })
  return key
}

/** Whether the process that asks to connect is another than the one before it. */
export async function isNewProcess(ctx: Ctx, agentId: string, instance: string): Promise<boolean> {
  const row = await ctx.tx
    .selectFrom('agent')
    .select('instance_id')
    .where('account_id', '=', ctx.account)
    .where('id', '=', agentId)
    .forUpdate()
    .executeTakeFirst()
  return row?.instance_id !== instance
}

/**
 * Notes that an agent lives.
 *
 * @throws Refusal `conflict` when it said good-bye, was given up for lost, or never connected: it
 *   must connect first
 */
export async function heartbeat(
  ctx: Ctx,
  agent: AgentIdentity,
  { latency, time }: ParsedInputOf<typeof heartbeatAgent>,
): Promise<ResultOf<typeof heartbeatAgent>> {
  const latencyMs = latency === undefined ? null : Math.min(600_000, Math.round(Number.parseFloat(latency) * 1000))
  const row = await ctx.tx
    .updateTable('agent')
    .set({
      last_seen_at: ctx.now,
      clock_ahead_ms: aheadOf(ctx, time),
      ...(latencyMs !== null && latencyMs >= 0 && { latency_ms: latencyMs }),
    })
    .where('account_id', '=', ctx.account)
    .where('id', '=', agent.agentId)
    .where('connection_id', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  if (!row) throw new Refusal('conflict', 'This agent is not connected; it must connect first')
  return { serverTime: ctx.now.toISOString(), latestVersion: version }
}

/** A clean stop. */
export async function disconnect(ctx: Ctx, agent: AgentIdentity): Promise<Record<string, never>> {
  await endConnection(ctx, agent.agentId, 'REASON_STOPPED', ctx.now)
  ctx.log.info({ agentId: agent.agentId }, 'agent disconnected')
  return {}
}

/** Closes the connection of an agent, if one stands, and keeps why. */
export async function endConnection(ctx: Ctx, agentId: string, reason: DisconnectReason, at: Date): Promise<void> {
  await ctx.tx
    .updateTable('agent')
    .set({ connection_id: null, latency_ms: null, is_notice_due: true })
    .where('account_id', '=', ctx.account)
    .where('id', '=', agentId)
    .where('connection_id', 'is not', null)
    .execute()
  await ctx.tx
    .updateTable('agent_connection')
    .set({ disconnected_at: at, reason })
    .where('account_id', '=', ctx.account)
    .where('agent_id', '=', agentId)
    .where('disconnected_at', 'is', null)
    .execute()
}

/** So long an agent is away before somebody is told: a restart of its machine is silent. */
const noticeMs = 5 * 60_000

/** Writes into the log of each agent that fell silent when it was heard last, and tells of those that stay away. */
export async function noteLost(database: Database, log: Log): Promise<void> {
  const silent = await database.owner
    .selectFrom('agent')
    .select(['account_id', 'id'])
    .where('connection_id', 'is not', null)
    .where('last_seen_at', '<', new Date(Date.now() - silenceMs))
    .limit(1000)
    .execute()
  await onEach(silent, ({ account_id, id }) =>
    inAccount(database, { account: account_id, actor: systemActor, log }, (ctx) => noteLostOne(ctx, id)),
  )
  const away = await database.owner
    .selectFrom('agent')
    .select(['account_id', 'id'])
    .where('is_notice_due', '=', true)
    .where('last_seen_at', '<', new Date(Date.now() - noticeMs))
    .limit(1000)
    .execute()
  await onEach(away, ({ account_id, id }) =>
    inAccount(database, { account: account_id, actor: systemActor, log }, (ctx) => tellAway(ctx, id)),
  )
}

async function tellAway(ctx: Ctx, id: string): Promise<void> {
  const agent = await ctx.tx
    .updateTable('agent')
    .set({ is_notice_due: false })
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .where('is_notice_due', '=', true)
    .where('connection_id', 'is', null)
    .returning('name')
    .executeTakeFirst()
  if (agent) await tell(ctx, id, 'EVENT_AGENT_DISCONNECTED', `Agent ${agent.name} is disconnected`)
}

async function tell(
  ctx: Ctx,
  id: string,
  kind: 'EVENT_AGENT_CONNECTED' | 'EVENT_AGENT_DISCONNECTED',
  title: string,
): Promise<void> {
  const targets = await ctx.tx
    .selectFrom('target')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where('agent_id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
  const targetIds = targets.map((target) => target.id)
  await announce(ctx, [{ kind, title, resource: { kind: 'agent', id }, ...(targetIds.length > 0 && { targetIds }) }])
}

async function noteLostOne(ctx: Ctx, id: string): Promise<void> {
  // It may have come back since it was looked for.
  if (await noteSilence(ctx, id)) ctx.log.warn({ agentId: id }, 'agent lost')
}

/** Ends the connection of an agent that has been silent for too long, when it was heard last; false for any other. */
async function noteSilence(ctx: Ctx, id: string): Promise<boolean> {
  const row = await ctx.tx
    .selectFrom('agent')
    .select(['connection_id', 'last_seen_at'])
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row?.connection_id || !row.last_seen_at) return false
  if (ctx.now.getTime() - row.last_seen_at.getTime() < silenceMs) return false
  await endConnection(ctx, id, 'REASON_LOST', row.last_seen_at)
  return true
}

function aheadOf(ctx: Ctx, time: string): number {
  const dayMs = 86_400_000
  return Math.max(-dayMs, Math.min(dayMs, Date.parse(time) - ctx.now.getTime()))
}
