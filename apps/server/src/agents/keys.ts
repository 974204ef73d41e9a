/** Agent tokens and keys: 256 random bits, stored only as a digest. */
import { isAllowed } from '@glacis/contract/permissions'
import type { Role } from '@glacis/contract/role'
import { digestOf, newBearer } from '#bearer.ts'
import type { Ctx } from '#ctx.ts'
import type { Database } from '#database/index.ts'
import { sql } from 'kysely'

/** The agent that a token or key belongs to. */
export interface AgentIdentity {
  readonly workspace: string
  readonly agentId: string
  readonly name: string
  /** A `TOKEN` can only be exchanged for a `KEY`. */
  readonly kind: 'TOKEN' | 'KEY'
  readonly digest: Buffer
  /** When the access of the agent ends; null if it doesn't. */
  readonly expiresAt: Date | null
  readonly allowedNetworks: readonly string[]
  /** Whether the member who is responsible for the agent can still run scans. */
  readonly hasActiveCreator: boolean
}

/** Lifetime of an unused token, and of an old key after a rotation. */
export const tokenLifetimeMs = 24 * 3_600_000

const prefixes = { TOKEN: 'gla_', KEY: 'glk_' } as const

/** Creates and stores a secret of an agent. The returned value is the only copy. */
export async function issueSecret(ctx: Ctx, agentId: string, kind: 'TOKEN' | 'KEY'): Promise<string> {
  const { token, digest } = newBearer(prefixes[kind])
  await ctx.tx
    .insertInto('agent_key')
    .values({
      account_id: ctx.workspace,
      agent_id: agentId,
      digest,
      kind,
      expires_at: kind === 'TOKEN' ? new Date(ctx.now.getTime() + tokenLifetimeMs) : null,
      created_at: ctx.now,
    })
    .execute()
  return token
}

/** Deletes the agent's secrets: all of them, or those of one kind. */
export async function revokeSecrets(ctx: Ctx, agentId: string, kind?: 'TOKEN' | 'KEY'): Promise<void> {
  let removal = ctx.tx.deleteFrom('agent_key').where('account_id', '=', ctx.workspace).where('agent_id', '=', agentId)
  if (kind) removal = removal.where('kind', '=', kind)
  await removal.execute()
}

interface KeyRow {
  readonly account_id: string
  readonly id: string
  readonly name: string
  readonly kind: 'TOKEN' | 'KEY'
  readonly expires_at: Date | null
  readonly ends_at: Date | null
  readonly allowed_networks: string[]
  readonly created_by_id: string | null
  readonly role: Role | null
}

/** The agent of the secret in an `Authorization` header; null if the secret is unknown, used, expired, or revoked. */
export async function authenticateAgent(
  database: Database,
  authorization: string | undefined,
  now: Date,
): Promise<AgentIdentity | null> {
  const secret = /^Bearer (gl[ak]_[\w-]{43})$/.exec(authorization ?? '')?.[1]
  if (!secret) return null
  const digest = digestOf(secret)
  // Every request of an agent runs this statement, so it isn't rebuilt each time.
  const { rows } = await sql<KeyRow>`
    select agent.account_id, agent.id, agent.name, agent_key.kind, agent_key.expires_at, agent.expires_at as ends_at,
      agent.allowed_networks, agent.created_by_id, member.role
    from agent_key
    join agent on agent.account_id = agent_key.account_id and agent.id = agent_key.agent_id
    left join member on member.account_id = agent.account_id and member.identity_id = agent.created_by_id
      and member.left_at is null
    where agent_key.digest = ${digest}`.execute(database.owner)
  const [row] = rows
  if (!row || (row.expires_at && row.expires_at <= now)) return null
  return {
    workspace: row.account_id,
    agentId: row.id,
    name: row.name,
    kind: row.kind,
    digest,
    expiresAt: row.ends_at,
    allowedNetworks: row.allowed_networks,
    hasActiveCreator: row.created_by_id === null || mayRunAgents(row.role),
  }
}

/** Whether a member with this role can be responsible for an agent, which can't do more than that member. */
export function mayRunAgents(role: Role | null): boolean {
  return role !== null && isAllowed(role, 'startScan')
}

/**
 * Marks a token as used, so that only one of two concurrent requests succeeds.
 *
 * @returns false if the token was used in the meantime
 */
export async function consumeToken(ctx: Ctx, { agentId, digest }: AgentIdentity): Promise<boolean> {
  const used = await ctx.tx
    .deleteFrom('agent_key')
    .where('account_id', '=', ctx.workspace)
    .where('agent_id', '=', agentId)
    .where('digest', '=', digest)
    .returning('kind')
    .executeTakeFirst()
  return used !== undefined
}
