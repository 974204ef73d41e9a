/** The audit log. Append only: the application's database role can't update or delete entries. */
import type * as contract from '@glacis/contract/access'
import type { AuditEvent, AuditFilter } from '@glacis/contract/access'
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type { Ctx } from '#ctx.ts'
import { channels } from '#database/channels.ts'
import type { Database } from '#database/index.ts'
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
  // The number of parameters doesn't depend on the number of IDs.
  await sql`
    insert into audit_event
      (account_id, id, at, actor_kind, actor_name, actor_id, action, resource_kind, resource_id, detail, ip, user_agent)
    select ${ctx.workspace}, new_id(), ${ctx.now}, ${ctx.actor.kind}, ${ctx.actor.name}, ${ctx.actor.id ?? null}, ${action},
           ${kind}, id, ${JSON.stringify(detail)}, ${ctx.actor.ip}, ${ctx.actor.userAgent ?? ''}
    from unnest(${ids}::text[]) as resource (id)`.execute(ctx.tx)
}

/** An event from the identity service: a sign-in, a failed sign-in, or a changed credential. */
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

/** Events that end sessions, whose open event streams have to end too. */
const sessionEnds: ReadonlySet<string> = new Set([
  'signed_out',
  'password_changed',
  'recovered',
  'session_revoked',
  'sessions_revoked',
  'disabled',
])

/** Records an identity event in every workspace of the person; there is none before the first visit. */
export async function recordIdentityEvent(database: Database, event: IdentityEvent): Promise<void> {
  if (!event.identityId) return
  const channel = sessionEnds.has(event.kind) ? channels.members : null
  await sql`
    with recorded as (
      insert into audit_event
        (account_id, id, at, actor_kind, actor_name, actor_id, action, resource_kind, resource_id, detail, ip, user_agent)
      select account_id, new_id(), ${event.at}, ${event.operator === undefined ? 'person' : 'operator'},
             coalesce(${event.operator ?? null}::text, name),
             ${event.operator === undefined ? event.identityId : null}::text, ${`identity.${event.kind}`}, 'identity',
             identity_id,
             ${JSON.stringify({ userAgent: event.userAgent, ...(event.detail && { detail: event.detail }) })}::jsonb,
             ${event.ip}, ${event.userAgent}
      from member
      where identity_id = ${event.identityId} and left_at is null
      returning account_id
    )
    select pg_notify(${channel}::text, account_id::text) from recorded where ${channel}::text is not null`.execute(
    database.owner,
  )
}

/** Lists the audit log, newest first. */
export async function listAuditEvents(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listAuditEvents>,
): Promise<ResultOf<typeof contract.listAuditEvents>> {
  const page = readPage(input, ['audit', input.filter])
  const before = page.after
  const rows = await matching(ctx, input.filter)
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

/** Events that match, oldest first, for exports. */
export async function auditEventsAfter(
  ctx: Ctx,
  filter: AuditFilter | undefined,
  last: Pick<AuditEvent, 'time' | 'id'> | undefined,
  limit: number,
): Promise<AuditEvent[]> {
  const rows = await matching(ctx, filter)
    .$if(last !== undefined, (query) =>
      query.where(sql<boolean>`(at, id) > (${last?.time}::timestamptz, ${last?.id}::uuid)`),
    )
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toEvent)
}

/** Deletes events older than the retention of their workspace. Only the owner of the tables can. */
export async function deleteOldAuditEvents({ owner }: Pick<Database, 'owner'>, now: Date): Promise<void> {
  await sql`
    delete from audit_event using workspace
    where workspace.id = audit_event.account_id
      and audit_event.at < ${now}::timestamptz - workspace.audit_days * interval '1 day'`.execute(owner)
}

function matching(ctx: Ctx, filter: AuditFilter = {}) {
  const [kind, id] = filter.resource?.split('/', 2) ?? []
  const { actorId, action, after, before } = filter
  return ctx.tx
    .selectFrom('audit_event')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .$if(kind !== undefined, (query) => query.where('resource_kind', '=', kind ?? ''))
    .$if(id !== undefined, (query) => query.where('resource_id', '=', id ?? ''))
    .$if(actorId !== undefined, (query) =>
      query.where((where) =>
        where.or([where('actor_name', '=', actorId ?? ''), where('actor_id', '=', actorId ?? '')]),
      ),
    )
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(after !== undefined, (query) => query.where('at', '>', new Date(after ?? 0)))
    .$if(before !== undefined, (query) => query.where('at', '<', new Date(before ?? 0)))
}

function toEvent(row: Selectable<Tables['audit_event']>): AuditEvent {
  return {
    id: row.id,
    time: row.at.toISOString(),
    actor: { kind: row.actor_kind, name: row.actor_name, ...(row.actor_id !== null && { id: row.actor_id }) },
    ip: row.ip,
    userAgent: row.user_agent,
    action: row.action,
    resource: { kind: row.resource_kind, id: row.resource_id },
    detail: { ...row.detail },
  }
}
