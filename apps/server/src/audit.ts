/** The audit log. Append only: the application's database role can't update or delete entries. */
import type * as contract from '@glacis/contract/access'
import type { AuditEvent } from '@glacis/contract/access'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type { Ctx } from '#ctx.ts'
import { type Database, newId } from '#database/index.ts'
import { cutPage, readPage } from '#database/page.ts'
import type { Tables } from '#database/tables.ts'
import { type Selectable, sql } from 'kysely'

/** Records, in the transaction of the change, who did what to which resource. */
export async function recordAuditEvent(
  ctx: Ctx,
  action: string,
  resource: { readonly kind: string; readonly id: string },
  detail: object = {},
): Promise<void> {
  await recordAuditEvents(ctx, action, resource.kind, [resource.id], detail)
}

/** The same for many resources with the same change. */
export async function recordAuditEvents(
  ctx: Ctx,
  action: string,
  kind: string,
  ids: readonly string[],
  detail: object = {},
): Promise<void> {
  if (ids.length === 0) return
  await ctx.tx
    .insertInto('audit_event')
    .values(
      ids.map((id) => ({
        account_id: ctx.account,
        id: newId(),
        at: ctx.now,
        actor_kind: ctx.actor.kind,
        actor_name: ctx.actor.name,
        action,
        resource_kind: kind,
        resource_id: id,
        detail: JSON.stringify(detail),
        ip: ctx.actor.ip,
      })),
    )
    .execute()
}

/** An event from the identity service: a sign-in, a failed sign-in or a changed credential. */
export interface IdentityEvent {
  readonly kind: string
  readonly identityId: string | null
  readonly ip: string
  readonly userAgent: string
  readonly at: Date
  readonly detail?: string | undefined
  /** The operator, if the user didn't do it themselves. */
  readonly operator?: string | undefined
}

/**
 * Records an identity event with the account of the identity; there is none before the first visit.
 */
export async function recordIdentityEvent(database: Database, event: IdentityEvent): Promise<void> {
  if (!event.identityId) return
  await sql`
    insert into audit_event (account_id, id, at, actor_kind, actor_name, action, resource_kind, resource_id, detail, ip)
    select id, ${newId()}, ${event.at}, ${event.operator === undefined ? 'person' : 'operator'},
           coalesce(${event.operator ?? null}::text, name), ${`identity.${event.kind}`}, 'identity', identity_id,
           ${JSON.stringify({ userAgent: event.userAgent, ...(event.detail && { detail: event.detail }) })}::jsonb, ${event.ip}
    from account
    where identity_id = ${event.identityId}`.execute(database.owner)
}

/** Lists the audit log, newest first. */
export async function listAuditEvents(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listAuditEvents>,
): Promise<ResultOf<typeof contract.listAuditEvents>> {
  const page = readPage(input, ['audit', input.filter])
  const [kind, id] = input.filter?.resource?.split('/', 2) ?? []
  const { actorId, action, after } = input.filter ?? {}
  const before = page.after
  const rows = await ctx.tx
    .selectFrom('audit_event')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .$if(kind !== undefined, (query) => query.where('resource_kind', '=', kind ?? ''))
    .$if(id !== undefined, (query) => query.where('resource_id', '=', id ?? ''))
    .$if(actorId !== undefined, (query) => query.where('actor_name', '=', actorId ?? ''))
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(after !== undefined, (query) => query.where('at', '>', new Date(after ?? 0)))
    .$if(before !== null, (query) =>
      query.where(sql<boolean>`(at, id) < (${String(before?.[0])}::timestamptz, ${String(before?.[1])}::uuid)`),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.size + 1)
    .execute()
  const { rows: pageRows, nextPageToken } = cutPage(page, rows, (row) => [row.at.toISOString(), row.id])
  return { events: pageRows.map(toEvent), nextPageToken }
}

function toEvent(row: Selectable<Tables['audit_event']>): AuditEvent {
  return {
    id: row.id,
    time: row.at.toISOString(),
    actor: { kind: row.actor_kind, name: row.actor_name },
    ip: row.ip,
    action: row.action,
    resource: { kind: row.resource_kind, id: row.resource_id },
    detail: { ...row.detail },
  }
}
