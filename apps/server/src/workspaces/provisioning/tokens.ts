/** Bearer tokens of identity providers. Only digests are stored. */
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/provisioning'
import { type ProvisioningToken, provisioningTokenLife } from '@glacis/contract/provisioning'
import type { Role } from '@glacis/contract/role'
import { recordAuditEvent } from '#audit.ts'
import { digestOf, expiryOf, newBearer } from '#bearer.ts'
import type { Ctx } from '#ctx.ts'
import { type Database, newId } from '#database/index.ts'
import { lockForLimit } from '#database/limit-lock.ts'
import type { Tables } from '#database/tables.ts'
import { ApiError, notFound } from '#errors.ts'
import { type Selectable, sql } from 'kysely'

/** So that secret scanners can recognize them. */
const prefix = 'gls_'
const tokensMax = 10

export interface ProvisioningTokenOwner {
  readonly workspace: string
  readonly name: string
  readonly creatorId: string
  /** The current role of the member who created it; null if they are no longer a member. */
  readonly creatorRole: Role | null
}

export async function listTokens(ctx: Ctx): Promise<ProvisioningToken[]> {
  const rows = await ctx.tx
    .selectFrom('provisioning_token')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .orderBy('id', 'desc')
    .execute()
  return rows.map(toToken)
}

/** @throws ApiError `invalid` for an unsuitable end time; `precondition` at the limit */
export async function createProvisioningToken(
  ctx: Ctx,
  { token: { name, expireTime } }: ParsedInputOf<typeof contract.createProvisioningToken>,
): Promise<{ token: ProvisioningToken }> {
  const expiresAt = expiryOf(ctx.now, expireTime, provisioningTokenLife, 'token.expireTime')
  await lockForLimit(ctx, 'provisioning tokens')
  if ((await listTokens(ctx)).length >= tokensMax)
    throw new ApiError(
      'precondition',
      `A workspace can have at most ${tokensMax} provisioning tokens. Revoke one first`,
    )
  const { token, digest, shown } = newBearer(prefix)
  const row = await ctx.tx
    .insertInto('provisioning_token')
    .values({
      account_id: ctx.workspace,
      id: newId(),
      name,
      prefix: shown,
      digest,
      created_by: ctx.actor.name,
      created_by_id: ctx.actor.id ?? '',
      created_at: ctx.now,
      expires_at: expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordAuditEvent(
    ctx,
    'provisioning-token.create',
    { kind: 'provisioning-token', id: row.id },
    { name, expiresAt },
  )
  return { token: { ...toToken(row), token } }
}

/** @throws ApiError `not_found` */
export async function deleteProvisioningToken(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  const row = await ctx.tx
    .deleteFrom('provisioning_token')
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  if (!row) throw notFound('provisioning token', id)
  await recordAuditEvent(ctx, 'provisioning-token.revoke', { kind: 'provisioning-token', id }, row)
  return {}
}

/** The owner of a token; null if it is unknown, revoked, or expired. Records the last use with minute precision. */
export async function ownerOfProvisioningToken(
  { owner }: Pick<Database, 'owner'>,
  token: string,
): Promise<ProvisioningTokenOwner | null> {
  if (!token.startsWith(prefix) || token.length > 100) return null
  const { rows } = await sql<ProvisioningTokenOwner & { id: string; is_stale: boolean }>`
    select token.account_id as workspace, token.id, token.name, created_by_id as "creatorId", member.role as "creatorRole",
           token.last_used_at is null or token.last_used_at < now() - interval '1 minute' as is_stale
    from provisioning_token as token
    left join member on member.account_id = token.account_id and identity_id = created_by_id and left_at is null
    where digest = ${digestOf(token)} and expires_at > now()`.execute(owner)
  const [row] = rows
  if (row?.is_stale)
    await sql`
      update provisioning_token set last_used_at = now()
      where account_id = ${row.workspace} and id = ${row.id}`.execute(owner)
  return row ?? null
}

function toToken(row: Selectable<Tables['provisioning_token']>): ProvisioningToken {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    createdBy: row.created_by,
    createTime: row.created_at.toISOString(),
    expireTime: row.expires_at.toISOString(),
    ...(row.last_used_at && { lastUsedTime: row.last_used_at.toISOString() }),
  }
}
