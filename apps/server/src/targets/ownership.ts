/** The members who are responsible for targets. */
import type { Target } from '@glacis/contract/target'
import type { Ctx } from '#ctx.ts'
import { invalid } from '#errors.ts'

/** @throws ApiError `invalid` with the first person who isn't a current member */
export async function requireMembers(ctx: Ctx, ids: readonly string[], field: string): Promise<void> {
  if (ids.length === 0) return
  const known = await ctx.tx
    .selectFrom('member')
    .select('identity_id')
    .where('account_id', '=', ctx.workspace)
    .where('identity_id', 'in', [...new Set(ids)])
    .where('left_at', 'is', null)
    .execute()
  const missing = ids.find((id) => !known.some(({ identity_id }) => identity_id === id))
  if (missing !== undefined) throw invalid(field, `${missing} is not a member of this workspace`)
}

/** Owners by target. A former member stays the owner until someone else takes over. */
export async function ownersOf(
  ctx: Ctx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NonNullable<Target['owner']>>> {
  const rows = await ctx.tx
    .selectFrom('target')
    .innerJoin('member', (join) =>
      join.onRef('member.account_id', '=', 'target.account_id').onRef('member.identity_id', '=', 'target.owner_id'),
    )
    .select(['target.id', 'member.identity_id', 'member.name'])
    .where('target.account_id', '=', ctx.workspace)
    .where('target.id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, identity_id, name }) => [id, { id: identity_id, name }]))
}
