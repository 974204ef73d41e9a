/** The events of issues in the demo's history. */
import type { Client } from 'pg'
import { dayMs, foundDaysAgo, scanTime, workingTime } from './times.ts'

export const users = ['Nora Ammann', 'Jonas Keller', 'Priya Nair', 'Marco Bianchi'] as const

export type Status = 'STATUS_OPEN' | 'STATUS_RESOLVED' | 'STATUS_IGNORED' | 'STATUS_REGRESSION'

/** An event of an issue (`host_id` null) or of an issue on one host. */
export interface Event {
  readonly id: string
  readonly issue_id: string
  readonly host_id: string | null
  readonly target_id: string | null
  readonly status: Status
  readonly verification: string
  readonly category: string
  readonly actor: string
  readonly reason: string
  at: Date
}

/** Moves today's events into the past. Each issue keeps the order of its events and its current status. */
export async function moveEventsToPast(client: Client, workspace: string, now: Date): Promise<Event[]> {
  const { rows: events } = await client.query<Event>(
    `select event.id, issue_id, host_id, target_id, event.status, event.verification, at, actor, reason, category
     from issue_event as event join issue on issue.account_id = event.account_id and issue.id = issue_id
     where event.account_id = $1 order by issue_id, host_id nulls first, at, event.id`,
    [workspace],
  )
  const today = now.getTime() - dayMs
  const recent = [...Map.groupBy(events, ({ issue_id }) => issue_id).values()].filter((all) =>
    all.every(({ at }) => at.getTime() > today),
  )
  for (const [number, all] of recent.entries()) {
    const user = users[number % users.length] ?? users[0]
    for (const hostEvents of Map.groupBy(all, ({ host_id }) => host_id).values()) {
      for (const [index, event] of hostEvents.entries()) {
        const share = index / hostEvents.length
        const found = Math.max(foundDaysAgo(number), hostEvents.length * 12)
        const daysAgo = Math.max(1, Math.round(found * (1 - share) * (index === 0 ? 1 : 0.6)))
        const isDecision = event.actor !== 'scan'
        event.at = isDecision ? workingTime(now, daysAgo) : scanTime(now, daysAgo)
        await client.query('update issue_event set at = $3, actor = $4 where account_id = $1 and id = $2', [
          workspace,
          event.id,
          event.at,
          isDecision ? user : 'scan',
        ])
      }
    }
  }
  await client.query(
    `update issue set first_seen_at = seen.first, ignored_by = case when ignored_by = '' then '' else seen.actor end,
       resolved_at = case status when 'STATUS_RESOLVED' then seen.last end,
       ignored_at = case status when 'STATUS_IGNORED' then seen.last end
     from (select issue_id, min(at) as first, max(at) as last, (array_agg(actor order by at desc))[1] as actor
           from issue_event where account_id = $1 and host_id is null group by 1) as seen
     where account_id = $1 and issue.id = seen.issue_id`,
    [workspace],
  )
  await client.query(
    `update occurrence set first_seen_at = seen.first, ignored_by = case when ignored_by = '' then '' else seen.actor end,
       resolved_at = case status when 'STATUS_RESOLVED' then seen.last end,
       ignored_at = case status when 'STATUS_IGNORED' then seen.last end
     from (select issue_id, host_id, min(at) as first, max(at) as last, (array_agg(actor order by at desc))[1] as actor
           from issue_event where account_id = $1 and host_id is not null group by 1, 2) as seen
     where account_id = $1 and occurrence.issue_id = seen.issue_id and occurrence.host_id = seen.host_id`,
    [workspace],
  )
  return events
}

export const isActive = ({ status }: Event) => status === 'STATUS_OPEN' || status === 'STATUS_REGRESSION'

/** The last event of each issue and host before this time. */
export function latest(events: readonly Event[], until: Date): Map<string, Event> {
  const last = new Map<string, Event>()
  for (const event of events) if (event.at <= until) last.set(`${event.issue_id} ${event.host_id}`, event)
  return last
}
