/** Idempotency keys: a repeated request with the same key returns the stored response. */
import { createHash } from 'node:crypto'
import type { Ctx } from '#ctx.ts'
import type { Database } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { ApiError } from '#errors.ts'
import type { Kysely } from 'kysely'

export interface KeyedRequest {
  readonly key: string
  /** Method and path of the API call. */
  readonly call: string
  readonly input: unknown
}

const retentionMs = 24 * 3_600_000

/**
 * Runs `work` and stores its response in the same transaction. A concurrent request with the same
 * key waits for the first. Errors are not stored, so the key can be reused.
 *
 * @throws ApiError `conflict` if the key was used with a different request
 */
export async function runIdempotently<T>(
  ctx: Ctx,
  { key, call, input }: KeyedRequest,
  work: () => Promise<T> | T,
): Promise<T> {
  const digest = createHash('sha256').update(JSON.stringify(input)).digest('base64url')
  await expired(ctx.tx, ctx.now).where('account_id', '=', ctx.workspace).execute()
  const isFirst = await claim(ctx, { key, call, digest })
  if (!isFirst) return storedResponse<T>(ctx, { key, call, digest })
  const result = await work()
  await ctx.tx
    .updateTable('idempotency_key')
    .set({ answer: JSON.stringify(result) })
    .where('account_id', '=', ctx.workspace)
    .where('key', '=', key)
    .execute()
  return result
}

interface Claim {
  readonly key: string
  readonly call: string
  readonly digest: string
}

async function claim(ctx: Ctx, { key, call, digest }: Claim): Promise<boolean> {
  const mine = await ctx.tx
    .insertInto('idempotency_key')
    .values({ account_id: ctx.workspace, key, call, digest, answer: 'null', created_at: ctx.now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  return mine !== undefined
}

async function storedResponse<T>(ctx: Ctx, { key, call, digest }: Claim): Promise<T> {
  const first = await ctx.tx
    .selectFrom('idempotency_key')
    .select(['call', 'digest', 'answer'])
    .where('account_id', '=', ctx.workspace)
    .where('key', '=', key)
    .executeTakeFirst()
  if (first?.call === call && first.digest === digest) return first.answer as T // stored from a previous result of `work`
  throw new ApiError('conflict', 'This Idempotency-Key was already used with a different request. Use a new key')
}

/** Deletes expired keys of all workspaces, because some workspaces never send another key. */
export async function deleteExpiredKeys({ owner }: Database, now: Date): Promise<void> {
  await expired(owner, now).execute()
}

/** A delete statement for keys expired at `now`. */
function expired(tables: Kysely<Tables>, now: Date) {
  return tables.deleteFrom('idempotency_key').where('created_at', '<', new Date(now.getTime() - retentionMs))
}
