import type { ChannelEvent, Notice } from '@glacis/contract/channel'
import type { Ctx } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { channels } from '#database/channels.ts'
import { type StreamPosition, eventId } from '#notifications/event-id.ts'
import { type RawBuilder, type Selectable, sql } from 'kysely'

export interface Announcement {
  readonly kind:
    | ChannelEvent
    | 'EVENT_ISSUE_IGNORED'
    | 'EVENT_ISSUE_CHANGED'
    | 'EVENT_SCAN_STARTED'
    | 'EVENT_SCAN_CHANGED'
    | 'EVENT_SCAN_CANCELLED'
    | 'EVENT_AGENT_CONNECTED'
    | 'EVENT_AGENT_CHANGED'
  /** A one-line summary for users. */
  readonly title: string
  /** CVSS score, for events about a risk. */
  readonly score?: number | null
  readonly resource: Notice['resource']
  /** The affected targets; absent for events of the whole workspace. */
  readonly targetIds?: readonly string[]
}

/**
 * Records events in the transaction of the change, so that they are sent exactly if it commits.
 * Listeners are notified; a missed notification delays them by at most a minute.
 */
export async function announce(ctx: Ctx, all: readonly Announcement[]): Promise<void> {
  if (all.length === 0) return
  const hint = sql`select pg_notify(${channels.events}, ${ctx.workspace})`.execute(ctx.tx)
  const parts = Array.from({ length: Math.ceil(all.length / rowsPerInsert) }, (_, part) =>
    write(ctx, all.slice(part * rowsPerInsert, (part + 1) * rowsPerInsert)),
  )
  await Promise.all([...parts, hint])
}

/** PostgreSQL allows 65,535 parameters per statement, and a batch of decisions can exceed that. */
const rowsPerInsert = 5000
const titleMax = 300

async function write(ctx: Ctx, some: readonly Announcement[]): Promise<void> {
  await ctx.tx
    .insertInto('event')
    .values(
      some.map((item) => ({
        account_id: ctx.workspace,
        at: ctx.now,
        kind: item.kind,
        title: item.title.slice(0, titleMax),
        score: item.score ?? null,
        resource_kind: item.resource.kind,
        resource_id: item.resource.id,
        target_ids: item.targetIds ? [...item.targetIds] : null,
      })),
    )
    .execute()
}

/**
 * Records events from rows in the database, as the end of a statement that starts with `with … ,`.
 * The rows don't leave the database.
 *
 * @param rows kind, title, score, resource_kind, resource_id, target_ids
 */
export function announceRows(ctx: Ctx, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    announced as (
      insert into event (account_id, at, kind, title, score, resource_kind, resource_id, target_ids)
      select ${ctx.workspace}::uuid, ${ctx.now}::timestamptz, kind, left(title, ${titleMax}), score, resource_kind, resource_id, target_ids
      from (${rows}) as one
      returning account_id
    )
    select pg_notify(${channels.events}, account_id::text) from announced limit 1`
}

/**
 * The transaction ID before which all transactions of this database have ended, so that the next
 * statement sees their events. Long-running transactions in other databases of the server don't
 * count. Call it once per transaction: the list of active transactions is cached in it.
 */
export async function commitHorizon(ctx: Ctx): Promise<string> {
  // Processes only show the lower 32 bits of their transaction ID. The full ID is the nearest to
  // the newest ended one, older or younger. Background workers have no user and announce nothing.
  const { rows } = await sql<{ xid: string }>`
    with newest as (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid),
    running as (
      select ((newest.xid >> 32) << 32) + backend.backend_xid::text::bigint as xid
      from newest, pg_stat_activity as backend
      where backend.datname = current_database() and backend.usesysid is not null and backend.backend_xid is not null
    )
    select least(newest.xid, (
      select min(case when running.xid - newest.xid > 1::bigint << 31 then running.xid - (1::bigint << 32)
                      when newest.xid - running.xid > 1::bigint << 31 then running.xid + (1::bigint << 32)
                      else running.xid end)
      from running))::text as xid
    from newest`.execute(ctx.tx)
  return rows[0]?.xid ?? '0'
}

/**
 * Statements to run after a restore into another database, where transaction IDs start over.
 * Renumbers events relative to each channel's position, so that pending events are still sent.
 */
export const afterRestore: readonly string[] = [
  `create temporary table place on commit drop as
     select taken_until, row_number() over (order by taken_until) as number
     from (select distinct taken_until from channel) as channel`,
  `update event set xid = (select count(*) from place where taken_until <= event.xid)::text::xid8`,
  `update channel set taken_until = (select number from place where place.taken_until = channel.taken_until)::text::xid8`,
]

/** The stream position from which a freshly loaded page listens. */
export async function startOfStream(ctx: Ctx): Promise<StreamPosition> {
  return { xid: await commitHorizon(ctx), id: 0 }
}

/** Events after a position in commit order, at most `limit`, each with its own position. */
export async function noticesSince(
  ctx: Ctx,
  after: StreamPosition,
  limit: number,
): Promise<(Notice & { position: StreamPosition })[]> {
  const horizon = await commitHorizon(ctx)
  const { rows } = await sql<Selectable<Tables['event']>>`
    select event.* from event
    where account_id = ${ctx.workspace}
      and (xid, id) > (${after.xid}::xid8, ${after.id}::bigint)
      and xid < ${horizon}::xid8
    order by event.xid, event.id
    limit ${limit}`.execute(ctx.tx)
  return rows.map((row) => ({ ...toNotice(row), position: { xid: row.xid, id: row.id } }))
}

/** Maps an event to its API representation. */
export function toNotice(row: Selectable<Tables['event']>): Notice {
  return {
    id: eventId(row.account_id, { xid: '0', id: row.id }),
    kind: row.kind,
    time: row.at.toISOString(),
    title: row.title,
    ...(row.score !== null && { score: row.score }),
    resource: { kind: row.resource_kind, id: row.resource_id },
  }
}
