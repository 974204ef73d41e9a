import type { ChannelEvent, Notice } from '@glacis/contract/channel'
import type { Ctx } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { channels } from '#database/channels.ts'
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
  /** One line, as a person reads it. */
  readonly title: string
  /** CVSS score where it concerns a risk. */
  readonly score?: number | null
  readonly resource: Notice['resource']
  /** Targets that it concerns; absent: the whole account. */
  readonly targetIds?: readonly string[]
}

/**
 * Writes down what happened, in the transaction of the change itself: it is told of exactly if the
 * change was committed. Listeners get a hint; who misses it finds the rows a minute later.
 */
export async function announce(ctx: Ctx, all: readonly Announcement[]): Promise<void> {
  if (all.length === 0) return
  const hint = sql`select pg_notify(${channels.events}, ${ctx.account})`.execute(ctx.tx)
  const parts = Array.from({ length: Math.ceil(all.length / rowsPerInsert) }, (_, part) =>
    write(ctx, all.slice(part * rowsPerInsert, (part + 1) * rowsPerInsert)),
  )
  await Promise.all([...parts, hint])
}

/** A statement carries at most 65,535 values; a batch of decisions brings more. */
const rowsPerInsert = 5000
const titleMax = 300

async function write(ctx: Ctx, some: readonly Announcement[]): Promise<void> {
  await ctx.tx
    .insertInto('event')
    .values(
      some.map((one) => ({
        account_id: ctx.account,
        at: ctx.now,
        kind: one.kind,
        title: one.title.slice(0, titleMax),
        score: one.score ?? null,
        resource_kind: one.resource.kind,
        resource_id: one.resource.id,
        target_ids: one.targetIds ? [...one.targetIds] : null,
      })),
    )
    .execute()
}

/**
 * The same from rows that the database has, as the end of a statement that begins with `with … ,`: nothing of them
 * travels.
 *
 * @param rows kind, title, score, resource_kind, resource_id, target_ids
 */
export function announcing(ctx: Ctx, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    announced as (
      insert into event (account_id, at, kind, title, score, resource_kind, resource_id, target_ids)
      select ${ctx.account}::uuid, ${ctx.now}::timestamptz, kind, left(title, ${titleMax}), score, resource_kind, resource_id, target_ids
      from (${rows}) as one
      returning account_id
    )
    select pg_notify(${channels.events}, account_id::text) from announced limit 1`
}

/** A place in an account's stream of events: transaction and number. */
export interface Moment {
  readonly xid: string
  readonly id: number
}

/**
 * Transactions of this database before this one have ended: what they wrote is there for the next
 * statement to see. Those of other databases of the same server do not count, however long they run.
 * To be asked once in a transaction: who is active is read once in each.
 */
export async function horizonOf(ctx: Ctx): Promise<string> {
  // A process shows the lower 32 bits of its transaction's id: the whole one is the nearest to the newest
  // that has ended, which it may be older or younger than. Housekeeping has no user, and announces nothing.
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
 * To be run on events that come from another database: numbers of transactions mean nothing here, where counting
 * begins anew. Each becomes a small one that stands to the places of all channels as before: what a channel has not
 * taken yet, it takes.
 */
export const afterRestore: readonly string[] = [
  `create temporary table place on commit drop as
     select taken_until, row_number() over (order by taken_until) as number
     from (select distinct taken_until from channel) as channel`,
  `update event set xid = (select count(*) from place where taken_until <= event.xid)::text::xid8`,
  `update channel set taken_until = (select number from place where place.taken_until = channel.taken_until)::text::xid8`,
]

/** The place from which a page that has just loaded everything listens on. */
export async function startOfStream(ctx: Ctx): Promise<Moment> {
  return { xid: await horizonOf(ctx), id: 0 }
}

/** What happened after a place, in the order of commits, at most `limit` of it, each with its own place. */
export async function noticesSince(ctx: Ctx, after: Moment, limit: number): Promise<(Notice & { place: Moment })[]> {
  const horizon = await horizonOf(ctx)
  const { rows } = await sql<Selectable<Tables['event']>>`
    select event.* from event
    where account_id = ${ctx.account}
      and (xid, id) > (${after.xid}::xid8, ${after.id}::bigint)
      and xid < ${horizon}::xid8
    order by event.xid, event.id
    limit ${limit}`.execute(ctx.tx)
  return rows.map((row) => ({ ...toNotice(row), place: { xid: row.xid, id: row.id } }))
}

/** An event as it is shown to the world. */
export function toNotice(row: Selectable<Tables['event']>): Notice {
  return {
    id: String(row.id),
    kind: row.kind,
    time: row.at.toISOString(),
    title: row.title,
    ...(row.score !== null && { score: row.score }),
    resource: { kind: row.resource_kind, id: row.resource_id },
  }
}
