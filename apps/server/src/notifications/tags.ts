import { record } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

/**
 * Takes a tag that is being deleted out of the rules of channels. One that told of nothing else is turned off, so that a
 * person sees that it tells of nothing, and does not tell of everything instead.
 */
export async function forgetTag(ctx: Ctx, tagId: string): Promise<void> {
  const { rows } = await sql<{ id: string; is_off: boolean }>`
    update channel set
      tag_ids = array_remove(tag_ids, ${tagId}::uuid), updated_at = ${ctx.now},
      is_enabled = is_enabled and cardinality(array_remove(tag_ids, ${tagId}::uuid)) > 0
    where account_id = ${ctx.account} and ${tagId}::uuid = any(tag_ids)
    returning id, not is_enabled as is_off`.execute(ctx.tx)
  for (const { id, is_off: isOff } of rows) {
    const paths = ['rule', ...(isOff ? ['isEnabled'] : [])]
    await record(ctx, 'channel.update', { kind: 'channel', id }, { paths, reason: 'tag.delete' })
  }
}
