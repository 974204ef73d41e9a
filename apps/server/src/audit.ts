/** The trail of what people did. Append only: the application's role may not change or delete it. */
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'

/** Notes, in the transaction of the change itself, who did what to which resource. */
export async function record(
  ctx: Ctx,
  action: string,
  resource: { readonly kind: string; readonly id: string },
  detail: object = {},
): Promise<void> {
  await ctx.tx
    .insertInto('audit_event')
    .values({
      account_id: ctx.account,
      id: newId(),
      at: ctx.now,
      actor_kind: ctx.actor.kind,
      actor_name: ctx.actor.name,
      action,
      resource_kind: resource.kind,
      resource_id: resource.id,
      detail: JSON.stringify(detail),
      ip: ctx.actor.ip,
    })
    .execute()
}
