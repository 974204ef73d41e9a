/** API tokens for programmatic access. Only digests are stored. */
import { type ApiToken, tokenLife, type TokenScope } from '@glacis/contract/access'
import type * as contract from '@glacis/contract/access'
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import { recordAuditEvent } from '#audit.ts'
import { digestOf, expiryOf, newBearer } from '#bearer.ts'
import { isWithin } from '@glacis/contract/permissions'
import { type Role, errorReasons } from '@glacis/contract/role'
import type { Ctx } from '#ctx.ts'
import { recheckStreams } from '#database/channels.ts'
import { type Database, newId } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import { invalid, notFound, ApiError } from '#errors.ts'
import { type Selectable, sql } from 'kysely'

/** Prefix of all tokens, so that secret scanners can recognize them. */
export const tokenPrefix = 'glc_'
const tokensMax = 50

/** The workspace and user of a token. */
export interface TokenOwner {
  readonly workspace: string
  readonly name: string
  readonly scopes: readonly TokenScope[]
  readonly role: Role
  readonly creatorId: string
  /** The current role of the member who created it; null if they are no longer a member. */
  readonly creatorRole: Role | null
  readonly allowedNetworks: readonly string[]
}

export async function listApiTokens(ctx: Ctx): Promise<{ apiTokens: ApiToken[] }> {
  const rows = await ctx.tx
    .selectFrom('api_token')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .orderBy('id', 'desc')
    .execute()
  return { apiTokens: rows.map(toToken) }
}

/**
 * @throws ApiError `invalid` for an end time in the past or more than a year ahead, or for a role above one's own;
 * `precondition` if the workspace has 50 tokens
 */
export async function createApiToken(
  ctx: Ctx,
  { apiToken }: ParsedInputOf<typeof contract.createApiToken>,
): Promise<{ apiToken: ApiToken }> {
  const expires = expiryOf(ctx.now, apiToken.expireTime, tokenLife, 'apiToken.expireTime')
  const role = roleOf(ctx, apiToken.role)
  await lockForLimit(ctx, 'tokens')
  const { apiTokens } = await listApiTokens(ctx)
  if (apiTokens.length >= tokensMax)
    throw new ApiError('precondition', `A workspace can have at most ${tokensMax} API tokens. Revoke one first`)
  const { token, digest, shown } = newBearer(tokenPrefix)
  const row = await ctx.tx
    .insertInto('api_token')
    .values({
      account_id: ctx.workspace,
      id: newId(),
      name: apiToken.name,
      scopes: [...new Set(apiToken.scopes)],
      prefix: shown,
      digest,
      role,
      allowed_networks: apiToken.allowedNetworks ?? [],
      created_by: ctx.actor.name,
      created_by_id: creatorOf(ctx),
      created_at: ctx.now,
      expires_at: expires,
      last_used_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordAuditEvent(
    ctx,
    'api-token.create',
    { kind: 'api-token', id: row.id },
    { name: row.name, scopes: row.scopes, role, allowedNetworks: row.allowed_networks },
  )
  return { apiToken: { ...toToken(row), token } }
}

/** @throws ApiError `not_found`; `forbidden` for an analyst who didn't create it */
export async function deleteApiToken(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  await requireOwnToken(ctx, id)
  const row = await ctx.tx
    .deleteFrom('api_token')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  if (!row) throw notFound('API token', id)
  await recordAuditEvent(ctx, 'api-token.revoke', { kind: 'api-token', id }, { name: row.name })
  await recheckStreams(ctx)
  return {}
}

/**
 * The owner of a token; null if it is unknown, revoked, or expired, or if the account that created it is disabled.
 * Records the last use with minute precision.
 */
export async function ownerOfToken(database: Pick<Database, 'owner'>, token: string): Promise<TokenOwner | null> {
  if (!token.startsWith(tokenPrefix) || token.length > 100) return null
  const { rows } = await sql<TokenOwner & { id: string; is_stale: boolean }>`
    select token.account_id as workspace, token.id, token.name, scopes, token.role, created_by_id as "creatorId",
           member.role as "creatorRole", allowed_networks as "allowedNetworks",
           token.last_used_at is null or token.last_used_at < now() - interval '1 minute' as is_stale
    from api_token as token
    left join member on member.account_id = token.account_id and identity_id = created_by_id and left_at is null
    left join identity.identity as creator
           on creator.id = case when created_by_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                              then created_by_id::uuid end
    where digest = ${digestOf(token)} and token.expires_at > now() and creator.state is distinct from 'inactive'`.execute(
    database.owner,
  )
  const [row] = rows
  if (!row) return null
  if (row.is_stale)
    await sql`update api_token set last_used_at = now() where account_id = ${row.workspace} and id = ${row.id}`.execute(
      database.owner,
    )
  return row
}

function roleOf({ actor }: Ctx, requested: Role | undefined): Role {
  const own = actor.role ?? 'viewer'
  if (requested === undefined || isWithin(requested, own)) return requested ?? own
  throw invalid('apiToken.role', `Your role is ${own}, so the token can't have the role ${requested}`)
}

function creatorOf({ actor }: Ctx): string {
  if (actor.id === undefined) throw new Error('only users can create tokens')
  return actor.id
}

async function requireOwnToken(ctx: Ctx, id: string): Promise<void> {
  const { role = 'viewer' } = ctx.actor
  if (role === 'owner' || role === 'admin') return
  const token = await ctx.tx
    .selectFrom('api_token')
    .select('created_by_id')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!token || token.created_by_id === ctx.actor.id) return
  throw new ApiError('forbidden', "Only an owner or admin can revoke other members' API tokens", {
    reason: errorReasons.role,
    metadata: { role, allowedRoles: 'owner,admin' },
  })
}

function toToken(row: Selectable<Tables['api_token']>): ApiToken {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    role: row.role,
    createdBy: row.created_by,
    allowedNetworks: row.allowed_networks,
    prefix: row.prefix,
    createTime: row.created_at.toISOString(),
    expireTime: row.expires_at.toISOString(),
    ...(row.last_used_at && { lastUsedTime: row.last_used_at.toISOString() }),
  }
}
