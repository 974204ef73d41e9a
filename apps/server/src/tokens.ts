/** API tokens for programmatic access. Only digests are stored. */
import { createHash, randomBytes } from 'node:crypto'
import { type ApiToken, tokenLife, type TokenScope } from '@glacis/contract/access'
import type * as contract from '@glacis/contract/access'
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { type Database, newId } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import { invalid, notFound, ApiError } from '#errors.ts'
import { type Selectable, sql } from 'kysely'

/** Prefix of all tokens, so that secret scanners can recognize them. */
export const tokenPrefix = 'glc_'
const tokensMax = 50
const dayMs = 86_400_000
const shownLength = 12

/** The account and user of a token. */
export interface TokenOwner {
  readonly account: string
  readonly name: string
  readonly scopes: readonly TokenScope[]
}

export async function listApiTokens(ctx: Ctx): Promise<{ apiTokens: ApiToken[] }> {
  const rows = await ctx.tx
    .selectFrom('api_token')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .orderBy('id', 'desc')
    .execute()
  return { apiTokens: rows.map(toToken) }
}

/**
 * @throws ApiError `invalid` for an end time in the past or more than a year ahead; `precondition`
 * if the account has 50 tokens
 */
export async function createApiToken(
  ctx: Ctx,
  { apiToken }: ParsedInputOf<typeof contract.createApiToken>,
): Promise<{ apiToken: ApiToken }> {
  const expires = endOf(ctx.now, apiToken.expireTime)
  await lockForLimit(ctx, 'tokens')
  const { apiTokens } = await listApiTokens(ctx)
  if (apiTokens.length >= tokensMax)
    throw new ApiError('precondition', `An account can have at most ${tokensMax} tokens`)
  const token = tokenPrefix + randomBytes(32).toString('base64url')
  const row = await ctx.tx
    .insertInto('api_token')
    .values({
      account_id: ctx.account,
      id: newId(),
      name: apiToken.name,
      scopes: [...new Set(apiToken.scopes)],
      prefix: token.slice(0, shownLength),
      digest: digestOf(token),
      created_by: ctx.actor.name,
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
    { name: row.name, scopes: row.scopes },
  )
  return { apiToken: { ...toToken(row), token } }
}

/** @throws ApiError `not_found` */
export async function deleteApiToken(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  const row = await ctx.tx
    .deleteFrom('api_token')
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  if (!row) throw notFound('API token', id)
  await recordAuditEvent(ctx, 'api-token.revoke', { kind: 'api-token', id }, { name: row.name })
  return {}
}

/**
 * The owner of a token; null if it is unknown, revoked or expired. Records the last use with minute
 * precision.
 */
export async function ownerOfToken(database: Database, token: string): Promise<TokenOwner | null> {
  if (!token.startsWith(tokenPrefix) || token.length > 100) return null
  const { rows } = await sql<{ account_id: string; id: string; name: string; scopes: TokenScope[]; is_stale: boolean }>`
    select account_id, id, name, scopes,
           last_used_at is null or last_used_at < now() - interval '1 minute' as is_stale
    from api_token
    where digest = ${digestOf(token)} and expires_at > now()`.execute(database.owner)
  const [row] = rows
  if (!row) return null
  if (row.is_stale)
    await sql`update api_token set last_used_at = now() where account_id = ${row.account_id} and id = ${row.id}`.execute(
      database.owner,
    )
  return { account: row.account_id, name: row.name, scopes: row.scopes }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function endOf(now: Date, requested: string | undefined): Date {
  if (requested === undefined) return new Date(now.getTime() + tokenLife.default * dayMs)
  const end = new Date(requested)
  const member = 'apiToken.expireTime'
  if (end <= now) throw invalid(member, 'The end time is in the past')
  if (end.getTime() > now.getTime() + tokenLife.most * dayMs)
    throw invalid(member, `A token can be valid for at most ${tokenLife.most} days`)
  return end
}

function toToken(row: Selectable<Tables['api_token']>): ApiToken {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    prefix: row.prefix,
    createTime: row.created_at.toISOString(),
    expireTime: row.expires_at.toISOString(),
    ...(row.last_used_at && { lastUsedTime: row.last_used_at.toISOString() }),
  }
}
