/** A request that carries a key is done once: the same key again gives the first answer. */
import { createHash } from 'node:crypto'
import type { Ctx } from '#ctx.ts'
import type { Database } from '#database/index.ts'
import type { Tables } from '#database/tables.ts'
import { Refusal } from '#errors.ts'
import type { Kysely } from 'kysely'

export interface KeyedRequest {
  readonly key: string
  /** Method and path of the contract. */
  readonly call: string
  readonly input: unknown
}

const keptMs = 24 * 3_600_000

/**
 * Does `work` and keeps its answer in the same transaction, so that the answer is kept exactly if
 * the work was done. A second request that comes while the first is under way waits for it. What
 * was refused is not kept: the key may be used again.
 *
 * @throws Refusal `conflict` when the key came with another request before
 */
export async function once<T>(ctx: Ctx, { key, call, input }: KeyedRequest, work: () => Promise<T> | T): Promise<T> {
  const digest = createHash('sha256').update(JSON.stringify(input)).digest('base64url')
  await ended(ctx.tx, ctx.now).where('account_id', '=', ctx.account).execute()
  const isFirst = await claim(ctx, { key, call, digest })
  if (!isFirst) return answerOf<T>(ctx, { key, call, digest })
  const answer = await work()
  await ctx.tx
    .updateTable('idempotency_key')
    .set({ answer: JSON.stringify(answer) })
    .where('account_id', '=', ctx.account)
    .where('key', '=', key)
    .execute()
  return answer
}

interface Claim {
  readonly key: string
  readonly call: string
  readonly digest: string
}

async function claim(ctx: Ctx, { key, call, digest }: Claim): Promise<boolean> {
  const mine = await ctx.tx
    .insertInto('idempotency_key')
    .values({ account_id: ctx.account, key, call, digest, answer: 'null', created_at: ctx.now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  return mine !== undefined
}

async function answerOf<T>(ctx: Ctx, { key, call, digest }: Claim): Promise<T> {
  const first = await ctx.tx
    .selectFrom('idempotency_key')
    .select(['call', 'digest', 'answer'])
    .where('account_id', '=', ctx.account)
    .where('key', '=', key)
    .executeTakeFirst()
  if (first?.call === call && first.digest === digest) return first.answer as T // what `work` answered then
  throw new Refusal('conflict', 'This Idempotency-Key came with another request before; use a new one')
}

/** Forgets the answers of keys that no longer hold, of all accounts: some send no key again. */
export async function forgetKeys({ owner }: Database, now: Date): Promise<void> {
  await ended(owner, now).execute()
}

/** What is to be deleted of keys that no longer hold at `now`. */
function ended(tables: Kysely<Tables>, now: Date) {
  return tables.deleteFrom('idempotency_key').where('created_at', '<', new Date(now.getTime() - keptMs))
}
