import { type Ctx, type Log, systemActor } from '#ctx.ts'
import { type Database, inWorkspace, newId } from '#database/index.ts'
import { forEachSettled } from '#for-each-settled.ts'
import type { Tables } from '#database/tables.ts'
import type { Jobs } from '#jobs.ts'
import { commitHorizon, toNotice } from '#notifications/announce.ts'
import { matches } from '#notifications/channels.ts'
import { type Selectable, sql } from 'kysely'

/** Maximum number of events listed in a message; the others are only counted. */
const listedMax = 50
/**
 * Events of a running scan are batched into one message, for at most this long after the first
 * event.
 */
const holdMinutesMax = 15

/**
 * Creates deliveries for a workspace's events since the last run. Each channel processes each event
 * exactly once, regardless of how often and in which process this runs.
 *
 * @returns true if events are held back until running scans have ended
 */
export async function createDeliveries(database: Database, jobs: Jobs, log: Log, workspace: string): Promise<boolean> {
  return inWorkspace(database, { workspace, actor: systemActor, log }, async (ctx) => {
    const channels = await ctx.tx
      .selectFrom('channel')
      .selectAll()
      .where('account_id', '=', workspace)
      .where('is_enabled', '=', true)
      .forUpdate()
      .skipLocked()
      .execute()
    if (channels.length === 0) return false
    const horizon = await commitHorizon(ctx)
    const isScanning = await hasActiveScan(ctx)
    let isHeld = false
    for (const channel of channels) {
      if (await createDeliveriesFor(ctx, jobs, channel, { horizon, isScanning })) isHeld = true
    }
    return isHeld
  })
}

async function createDeliveriesFor(
  ctx: Ctx,
  jobs: Jobs,
  channel: Selectable<Tables['channel']>,
  { horizon, isScanning }: { horizon: string; isScanning: boolean },
): Promise<boolean> {
  const rows = await dueEvents(ctx, channel, horizon)
  const isLate = rows.some(({ oldest }) => ctx.now.getTime() - oldest.getTime() >= holdMinutesMax * 60_000)
  if (rows.length > 0 && isScanning && channel.kind !== 'KIND_WEBHOOK' && !isLate) return true
  await sql`update channel set taken_until = ${horizon}::xid8
    where account_id = ${ctx.workspace} and id = ${channel.id}`.execute(ctx.tx)
  for (const [recipient, events] of Map.groupBy(rows, (row) => row.recipient))
    await createDelivery(ctx, jobs, channel.id, recipient, events)
  return false
}

type DueEvent = Selectable<Tables['event']> & { total: number; oldest: Date; recipient: string | null }

/**
 * The most severe events of each recipient. An event of a target without a team or owner goes to the address of the
 * workspace, so that none is lost.
 */
async function dueEvents(ctx: Ctx, channel: Selectable<Tables['channel']>, horizon: string): Promise<DueEvent[]> {
  const recipients =
    channel.recipients === 'RECIPIENTS_TEAMS' ? teamsOf(channel.tag_ids) : sql`select null::text as email`
  const { rows } = await sql<DueEvent>`
    select * from (
      select event.*, recipient.email as recipient,
             count(*) over (partition by recipient.email) as total,
             min(at) over (partition by recipient.email) as oldest,
             row_number() over (partition by recipient.email order by score desc nulls last, xid, id) as place
      from event left join lateral (${recipients}) as recipient on true
      where account_id = ${ctx.workspace} and xid >= ${channel.taken_until}::xid8 and xid < ${horizon}::xid8
        and ${matches(channel)}) as event
    where place <= ${listedMax}
    order by recipient, place`.execute(ctx.tx)
  return rows
}

/** Current members of the teams of an event's targets, and the owners of the targets. */
function teamsOf(tagIds: readonly string[]) {
  return sql`
    select distinct member.email from member
    where member.account_id = event.account_id and member.left_at is null and (
      exists (
        select from target_tag join tag on tag.account_id = target_tag.account_id and tag.id = target_tag.tag_id
        where target_tag.account_id = event.account_id and target_tag.target_id = any(event.target_ids)
          and member.identity_id = any(tag.team)
          and (cardinality(${tagIds}::uuid[]) = 0 or tag.id = any(${tagIds}::uuid[])))
      or exists (
        select from target
        where target.account_id = event.account_id and target.id = any(event.target_ids)
          and target.owner_id = member.identity_id))`
}

async function createDelivery(
  ctx: Ctx,
  jobs: Jobs,
  channelId: string,
  recipient: string | null,
  events: readonly DueEvent[],
): Promise<void> {
  const id = newId()
  await ctx.tx
    .insertInto('delivery')
    .values({
      account_id: ctx.workspace,
      id,
      channel_id: channelId,
      state: 'STATE_PENDING',
      notices: JSON.stringify(events.map(toNotice)),
      event_count: events[0]?.total ?? 0,
      recipient,
      status_code: null,
      latency_ms: null,
      created_at: ctx.now,
      completed_at: null,
    })
    .execute()
  await jobs.enqueue(ctx.tx, 'delivery', { account: ctx.workspace, deliveryId: id })
}

/** Scans that wait for their allowed hours, or for an agent that isn't connected, produce no findings and don't count. */
async function hasActiveScan(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql`
    select from scan
    where account_id = ${ctx.workspace} and status in ('STATUS_CREATED', 'STATUS_RUNNING') and resume_at is null
      and (agent_id is null or exists (
        select from agent
        where agent.account_id = scan.account_id and agent.id = scan.agent_id and connection_id is not null))
    limit 1`.execute(ctx.tx)
  return rows.length > 0
}

/** Creates deliveries for all workspaces with unsent events, in case a notification was missed. */
export async function createAllDeliveries(database: Database, jobs: Jobs, log: Log): Promise<void> {
  const { rows } = await sql<{ account_id: string }>`
    select distinct channel.account_id from channel
    where is_enabled and exists (
      select 1 from event where event.account_id = channel.account_id and event.xid >= channel.taken_until)`.execute(
    database.owner,
  )
  await forEachSettled(rows, ({ account_id }) => createDeliveries(database, jobs, log, account_id))
}
