/** The trail of what people did. Append only: the application's role may not change or delete it. */
import type { Ctx } from '#ctx.ts'
import { type Database, newId } from '#database/index.ts'
import { sql } from 'kysely'

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

/** What the identity service tells of: who signed in, failed to, or changed a credential. */
export interface IdentityEvent {
  readonly kind: string
  readonly identityId: string | null
  readonly ip: string
  readonly userAgent: string
  readonly at: Date
  readonly detail?: string | undefined
}

/** Notes an event of the identity service with the account of that identity; before its first visit there is none. */
export async function recordIdentityEvent(database: Database, event: IdentityEvent): Promise<void> {
  if (!event.identityId) return
  await sql`
    insert into audit_event (account_id, id, at, actor_kind, actor_name, action, resource_kind, resource_id, detail, ip)
    select id, ${newId()}, ${event.at}, 'person', name, ${`identity.${event.kind}`}, 'identity', identity_id,
           ${JSON.stringify({ userAgent: event.userAgent, ...(event.detail && { detail: event.detail }) })}::jsonb, ${event.ip}
    from account
    where identity_id = ${event.identityId}`.execute(database.owner)
}
