/** The closed days of charts in the demo's history. */
import type { Client } from 'pg'
import { type Event, type Status, isActive, latest } from './events.ts'
import { days } from './times.ts'

const wholeAccount = '00000000-0000-0000-0000-000000000000'
const worstFirst: readonly Status[] = ['STATUS_REGRESSION', 'STATUS_OPEN', 'STATUS_IGNORED', 'STATUS_RESOLVED']
const severities = ['CATEGORY_CRITICAL', 'CATEGORY_HIGH', 'CATEGORY_MEDIUM', 'CATEGORY_LOW']

/**
 * Writes the closed days for charts, per target and for the workspace. The counts are described in `stats/slots.ts` of
 * the server.
 */
export async function writeDays(
  client: Client,
  { id: workspace, time_zone }: { id: string; time_zone: string },
  events: readonly Event[],
  now: Date,
): Promise<void> {
  const { rows } = await client.query<{ day: string; end: Date }>(
    `select day::date::text as day, (day + interval '1 day') at time zone $2 - interval '1 millisecond' as end
     from generate_series((($1::timestamptz at time zone $2)::date - ${days})::timestamp,
       (($1::timestamptz at time zone $2)::date - 1)::timestamp, interval '1 day') as day`,
    [now, time_zone],
  )
  await client.query('delete from stats_day where account_id = $1', [workspace])
  const hostEvents = events.filter(({ host_id }) => host_id !== null)
  const targets = new Set(hostEvents.flatMap(({ target_id }) => target_id ?? []))
  for (const { day, end } of rows) {
    const onHosts = [...latest(hostEvents, end).values()]
    const issueEvents = [
      ...latest(
        events.filter(({ host_id }) => host_id === null),
        end,
      ).values(),
    ]
    const scopes: (readonly [string, readonly Event[], readonly Event[]])[] = [[wholeAccount, issueEvents, onHosts]]
    for (const target of targets) {
      const onTarget = onHosts.filter(({ target_id }) => target_id === target)
      scopes.push([target, onTarget, onTarget])
    }
    for (const [scope, issues, hosts] of scopes) {
      const counts = [() => true, isVerified, (event: Event) => !isVerified(event)].flatMap((isIn) =>
        countsOf(issues.filter(isIn), hosts.filter(isIn)),
      )
      await client.query(
        'insert into stats_day (account_id, target_id, day, closed_at, counts) values ($1, $2, $3, $4, $5)',
        [workspace, scope, day, now, counts],
      )
    }
  }
}

const isVerified = ({ verification }: Event) => verification === 'VERIFICATION_VERIFIED'

/** Issues by status, active issues by severity and without one, and hosts with an active issue. */
function countsOf(issues: readonly Event[], hosts: readonly Event[]): number[] {
  const worst = [...Map.groupBy(issues, ({ issue_id }) => issue_id).values()].flatMap(
    (all) => all.toSorted((a, b) => worstFirst.indexOf(a.status) - worstFirst.indexOf(b.status))[0] ?? [],
  )
  const active = worst.filter(isActive)
  return [
    ...worstFirst.map((status) => worst.filter((item) => item.status === status).length),
    ...severities.map((category) => active.filter((item) => item.category === category).length),
    active.filter(({ category }) => !severities.includes(category)).length,
    new Set(hosts.filter(isActive).map(({ host_id }) => host_id)).size,
  ]
}
