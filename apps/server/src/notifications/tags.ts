import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

/**
 * Removes a deleted tag from the rules of channels. A channel that had no other tag is turned off,
 * because without tags it would match everything.
 */
export async function removeTagFromRules(ctx: Ctx, tagId: string): Promise<void> {
  const { rows } = await sql<{ id: string; is_off: boolean }>`
    update channel set
      tag_ids = array_remove(tag_ids, ${tagId}::uuid), updated_at = ${ctx.now},
      is_enabled = is_enabled and cardinality(array_remove(tag_ids, ${tagId}::uuid)) > 0
    where account_id = ${ctx.workspace} and ${tagId}::uuid = any(tag_ids)
    returning id, not is_enabled as is_off`.execute(ctx.tx)
  for (const { id, is_off: isOff } of rows) {
    const paths = ['rule', ...(isOff ? ['isEnabled'] : [])]
    await recordAuditEvent(ctx, 'channel.update', { kind: 'channel', id }, { paths, reason: 'tag.delete' })
  }
}
