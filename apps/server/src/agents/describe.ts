/** Maps agents to their API representation. */
import type { Agent } from '@glacis/contract/agent'
import { mayRunAgents } from '#agents/keys.ts'
import type { Ctx } from '#ctx.ts'
import { anyOf } from '#database/any-of.ts'
import type { AgentTable } from '#database/tables.ts'
import { version } from '#version.ts'
import type { Selectable } from 'kysely'

/**
 * Heartbeat interval, and the timeout after which an agent counts as lost: three missed heartbeats.
 */
export const heartbeatSeconds = 20
export const heartbeatTimeoutMs = 3 * heartbeatSeconds * 1000
const clockAheadMsMax = 60_000

/** Whether the agent is connected now. */
export function isConnected(row: Pick<Selectable<AgentTable>, 'connection_id' | 'last_seen_at'>, now: Date): boolean {
  return (
    row.connection_id !== null &&
    row.last_seen_at !== null &&
    now.getTime() - row.last_seen_at.getTime() < heartbeatTimeoutMs
  )
}

/** The agents with these IDs, in a fixed number of statements. */
export async function describeAgents(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Agent>> {
  const uniqueIds = [...new Set(ids)]
  if (uniqueIds.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('agent')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('id', 'in', uniqueIds)
    .execute()
  const [targets, jobs, tokens, orphaned] = [
    await targetCounts(ctx, uniqueIds),
    await jobCounts(ctx, uniqueIds),
    await tokenExpiries(ctx, uniqueIds),
    await orphanedAgents(ctx, uniqueIds),
  ]
  return new Map(
    rows.map((row) => {
      const expiresAt = tokens.get(row.id)
      return [
        row.id,
        {
          ...shapeOf(row, ctx.now),
          ...limitsOf(row),
          ...problemsOf(row, ctx.now, orphaned),
          targetCount: targets.get(row.id) ?? 0,
          runningJobCount: jobs.get(row.id) ?? 0,
          ...(expiresAt && { tokenExpireTime: expiresAt.toISOString() }),
        },
      ]
    }),
  )
}

/** The part of an agent shown with a target or scan: name, state, and last heartbeat. */
export async function describeAgentsBriefly(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Agent>> {
  const uniqueIds = [...new Set(ids)]
  if (uniqueIds.length === 0) return new Map()
  const rows = await ctx.tx
    .selectFrom('agent')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', anyOf(uniqueIds))
    .execute()
  return new Map(rows.map((row) => [row.id, briefOf(row, ctx.now)]))
}

function briefOf(row: Selectable<AgentTable>, now: Date): Agent {
  const isHere = isConnected(row, now)
  return {
    id: row.id,
    name: row.name,
    status: isHere ? 'STATUS_CONNECTED' : 'STATUS_DISCONNECTED',
    ...(isHere && row.latency_ms !== null && { latency: `${row.latency_ms / 1000}s` }),
    createTime: row.created_at.toISOString(),
    updateTime: row.updated_at.toISOString(),
    ...(row.last_seen_at && { lastSeenTime: row.last_seen_at.toISOString() }),
  }
}

function shapeOf(row: Selectable<AgentTable>, now: Date): Agent {
  if (!row.last_seen_at) return briefOf(row, now)
  return {
    ...briefOf(row, now),
    version: row.version,
    system: row.system,
    hostname: row.hostname,
    networks: row.networks,
  }
}

function limitsOf(row: Selectable<AgentTable>): Partial<Agent> {
  return {
    ...(row.created_by !== null && { createdBy: row.created_by }),
    ...(row.expires_at && { expireTime: row.expires_at.toISOString() }),
    allowedNetworks: row.allowed_networks,
    inventory: row.has_inventory,
  }
}

/** Absent for an agent that has never connected, unless its access has ended. */
function problemsOf(row: Selectable<AgentTable>, now: Date, orphaned: ReadonlySet<string>): Partial<Agent> {
  const access = [
    ...(orphaned.has(row.id)
      ? [
          'Its access has ended, because the member who created it can no longer run scans. Rotate its token to take over.',
        ]
      : []),
    ...(row.expires_at && row.expires_at <= now ? ['Its access has expired.'] : []),
  ]
  const problems = [...access, ...(row.last_seen_at ? machineProblems(row) : [])]
  return row.last_seen_at || problems.length > 0 ? { problems } : {}
}

/** IDs of the agents whose creator can no longer run scans. */
async function orphanedAgents(ctx: Ctx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await ctx.tx
    .selectFrom('agent')
    .leftJoin('member', (join) =>
      join
        .onRef('member.account_id', '=', 'agent.account_id')
        .onRef('member.identity_id', '=', 'agent.created_by_id')
        .on('member.left_at', 'is', null),
    )
    .select(['agent.id', 'member.role'])
    .where('agent.account_id', '=', ctx.workspace)
    .where('agent.id', 'in', ids)
    .where('agent.created_by_id', 'is not', null)
    .execute()
  return new Set(rows.filter(({ role }) => !mayRunAgents(role)).map(({ id }) => id))
}

function machineProblems(row: Selectable<AgentTable>): string[] {
  const seconds = Math.round(Math.abs(row.clock_ahead_ms) / 1000)
  const side = row.clock_ahead_ms > 0 ? 'ahead' : 'behind'
  return [
    ...(row.version !== version
      ? [`The agent runs version ${row.version}, the server ${version}. Update the agent.`]
      : []),
    ...(Math.abs(row.clock_ahead_ms) > clockAheadMsMax
      ? [`The agent's clock is ${seconds} seconds ${side}. Synchronize it with an NTP server.`]
      : []),
  ]
}

async function targetCounts(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await ctx.tx
    .selectFrom('target')
    .select(['agent_id', ({ fn }) => fn.countAll<number>().as('count')])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', 'in', ids)
    .where('deleted_at', 'is', null)
    .groupBy('agent_id')
    .execute()
  return new Map(rows.map((row) => [row.agent_id ?? '', Number(row.count)]))
}

async function jobCounts(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await ctx.tx
    .selectFrom('scan_lease')
    .select(['agent_id', ({ fn }) => fn.countAll<number>().as('count')])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', 'in', ids)
    .where('state', '=', 'STATE_RUNNING')
    .groupBy('agent_id')
    .execute()
  return new Map(rows.map((row) => [row.agent_id, Number(row.count)]))
}

async function tokenExpiries(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, Date>> {
  const rows = await ctx.tx
    .selectFrom('agent_key')
    .select(['agent_id', 'expires_at'])
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', 'in', ids)
    .where('kind', '=', 'TOKEN')
    .where('expires_at', '>', ctx.now)
    .execute()
  return new Map(rows.flatMap((row) => (row.expires_at ? [[row.agent_id, row.expires_at]] : [])))
}
