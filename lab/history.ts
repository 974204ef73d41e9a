/**
 * Creates three months of history for the demo workspace.
 *
 * Moves what scans found and users decided today into the past, and adds issues that were fixed in the meantime.
 * The API can't backdate anything, so this writes to the database. Only the demo does that.
 */
import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'

/** A week longer than the charts of a quarter. */
const days = 98
const dayMs = 86_400_000
const fixedCount = 52
const users = ['Nora Ammann', 'Jonas Keller', 'Priya Nair', 'Marco Bianchi'] as const
const comments = [
  'Ticket opened with the platform team.',
  'Patched on staging, production follows in the next maintenance window.',
  'Vendor confirmed the fix; waiting for the package in our mirror.',
  'Reachable only from the VPN, so this can wait until the end of the month.',
  'Verified with a manual request, still reproducible.',
] as const

type Status = 'STATUS_OPEN' | 'STATUS_RESOLVED' | 'STATUS_IGNORED' | 'STATUS_REGRESSION'

/** An event of an issue (`host_id` null) or of an issue on one host. */
interface Event {
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

/** Rewrites the history of the account with this email. All of its scans must have ended. */
export async function writeHistory(client: Client, email: string): Promise<void> {
  await client.query('begin')
  const { rows } = await client.query<{ id: string; time_zone: string }>(
    `select id, time_zone from workspace
     where id in (select account_id from member where email = $1 and role = 'owner' and left_at is null)`,
    [email],
  )
  const [workspace] = rows
  if (!workspace) throw new Error(`No account with the email ${email}`)
  const now = new Date()
  const startTime = scanTime(now, days)
  await backdate(client, workspace.id, startTime)
  await addFixedIssues(client, workspace.id, now)
  const events = await moveEventsToPast(client, workspace.id, now)
  await addScans(client, workspace.id, events, now)
  await addComments(client, workspace.id, events, now)
  await writeDays(client, workspace, events, now)
  await client.query('commit')
}

/** Scheduled scans run at night. */
function scanTime(now: Date, daysAgo: number): Date {
  const night = new Date(now.getTime() - daysAgo * dayMs)
  night.setUTCHours(2, 10, 0, 0)
  return night
}

/** Users make decisions during the day. */
function workingTime(now: Date, daysAgo: number): Date {
  return new Date(scanTime(now, daysAgo).getTime() + (6 + fraction(daysAgo) * 8) * 3_600_000)
}

/** The n-th number of an evenly distributed sequence from 0 to 1 (golden ratio). */
function fraction(number: number): number {
  return (number * 0.618_033_988_75) % 1
}

/** A UUIDv7, because lists are sorted by id. */
function idAt(time: Date): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(time.getTime(), 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** How many days ago the n-th issue was found: many by the first scans, the others over time. */
function foundDaysAgo(number: number): number {
  return number % 5 < 2 ? days - 1 - (number % 6) : Math.round(8 + fraction(number) * (days - 14))
}

async function backdate(client: Client, workspace: string, startTime: Date): Promise<void> {
  for (const statement of [
    'update workspace set created_at = $2 where id = $1',
    'update target set created_at = $2 where account_id = $1',
    'update host set first_seen_at = $2 where account_id = $1',
    'update service set first_seen_at = $2 where account_id = $1',
    'update host_product set first_seen_at = $2 where account_id = $1',
  ])
    await client.query(statement, [workspace, startTime])
  // Results of today's scans must not be shown as new.
  await client.query('update scan set new_count = 0 where account_id = $1', [workspace])
  await client.query(`update scan_issue set change = 'SEEN' where account_id = $1 and change = 'NEW'`, [workspace])
}

/** Adds issues that were found and fixed in the meantime, on existing hosts. */
async function addFixedIssues(client: Client, workspace: string, now: Date): Promise<void> {
  const { rows: threats } = await client.query<{ id: string; kind: string }>(
    `select id, kind from threat
     where not exists (select from issue where account_id = $1 and threat_id = threat.id) and category <> 'CATEGORY_NONE'
     order by row_number() over (partition by kind = 'check' order by md5(key)), kind limit $2`,
    [workspace, fixedCount],
  )
  const { rows: hosts } = await client.query<{ id: string; target_id: string }>(
    'select id, target_id from host where account_id = $1 order by id',
    [workspace],
  )
  for (const [number, threat] of threats.entries()) {
    const host = hosts[number % hosts.length]
    if (!host) return
    const foundDay = foundDaysAgo(number)
    const resolved = Math.max(2, Math.round(foundDay - 6 - fraction(number) * 44))
    const [issueId, from, to] = [idAt(scanTime(now, foundDay)), scanTime(now, foundDay), scanTime(now, resolved)]
    const isVerified = threat.kind === 'check'
    const verification = isVerified ? 'VERIFICATION_VERIFIED' : 'VERIFICATION_UNVERIFIED'
    await client.query(
      `insert into issue (account_id, id, threat_id, status, verification, quality, priority, score, category, host_count,
         first_seen_at, last_seen_at, resolved_at, updated_at, epss, title)
       select $1, $2, id, 'STATUS_RESOLVED', $3, $4, round(score * 8), score, category, 1,
         $5, $6, $6, $6, coalesce(epss_score, 0), lower(name || ' ' || key)
       from threat where id = $7`,
      [workspace, issueId, verification, isVerified ? 99 : 80, from, to, threat.id],
    )
    await client.query(
      `insert into occurrence (account_id, id, issue_id, host_id, target_id, location, port, method, status, quality,
         evidence, evidence_key, decided_by, first_seen_at, last_seen_at, resolved_at)
       select $1, $2::uuid, $3, $4, $5, '443', 443, $6::text, 'STATUS_RESOLVED', $7::int,
         jsonb_build_object('location', '443', 'port', 443, 'method', $6::text, 'quality', $7::int, 'text', name, 'highlights', '[]'::jsonb),
         $2::text, 'scan', $8, $9, $9
       from threat where id = $10`,
      [
        workspace,
        idAt(from),
        issueId,
        host.id,
        host.target_id,
        isVerified ? 'demo' : 'version',
        isVerified ? 99 : 80,
        from,
        to,
        threat.id,
      ],
    )
    await client.query(
      `insert into issue_target (account_id, target_id, issue_id, status, verified_status, potential_status, category)
       select $1, $2, $3, 'STATUS_RESOLVED', $4, $5, category from issue where account_id = $1 and id = $3`,
      [
        workspace,
        host.target_id,
        issueId,
        isVerified ? 'STATUS_RESOLVED' : null,
        isVerified ? null : 'STATUS_RESOLVED',
      ],
    )
    for (const eventHost of [null, host]) {
      for (const [status, at] of [
        ['STATUS_OPEN', from],
        ['STATUS_RESOLVED', to],
      ] as const)
        await client.query(
          `insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor)
           values ($1, $2, $3, $4, $5, $6, $7, $8, 'scan')`,
          [workspace, idAt(at), issueId, eventHost?.id ?? null, eventHost?.target_id ?? null, status, verification, at],
        )
    }
  }
}

/** Moves today's events into the past. Each issue keeps the order of its events and its current status. */
async function moveEventsToPast(client: Client, workspace: string, now: Date): Promise<Event[]> {
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

/** Adds a nightly scan of each target. */
async function addScans(client: Client, workspace: string, events: readonly Event[], now: Date): Promise<void> {
  const { rows: targets } = await client.query<{ id: string; hosts: number }>(
    `select target_id as id, count(*)::int as hosts from host where account_id = $1 group by 1`,
    [workspace],
  )
  for (const { id: target, hosts } of targets) {
    const targetEvents = events.filter(({ target_id }) => target_id === target)
    for (let daysAgo = days - 1; daysAgo > 0; daysAgo--) {
      const at = scanTime(now, daysAgo)
      const end = new Date(at.getTime() + (4 + fraction(daysAgo) * 9) * 60_000)
      const issues = [...latest(targetEvents, at).values()].filter(isActive)
      const count = (severity: string) =>
        new Set(issues.filter(({ category }) => category === `CATEGORY_${severity}`).map(({ issue_id }) => issue_id))
          .size
      const changes = (status: Status) =>
        targetEvents.filter((event) => event.status === status && event.at.getTime() === at.getTime()).length
      await client.query(
        `insert into scan (account_id, id, target_id, type, status, phase, hosts_total, hosts_done, scanned_hosts,
           affected_hosts, critical, high, medium, low, new_count, resolved_count, regressive_count, started_by,
           created_at, started_at, completed_at, last_activity_at, updated_at)
         values ($1, $2, $3, 'TYPE_AUTOMATIC', 'STATUS_COMPLETED', 'PHASE_DONE', $4, $4, $4,
           $5, $6, $7, $8, $9, $10, $11, $12, 'system', $13, $13, $14, $14, $14)`,
        [
          workspace,
          idAt(at),
          target,
          hosts,
          new Set(issues.map(({ host_id }) => host_id)).size,
          ...['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'].map(count),
          ...(['STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_REGRESSION'] as const).map(changes),
          at,
          end,
        ],
      )
    }
  }
}

async function addComments(client: Client, workspace: string, events: readonly Event[], now: Date): Promise<void> {
  const issues = events.filter(({ host_id, status, at }) => host_id === null && status === 'STATUS_OPEN' && at < now)
  for (const [number, { issue_id, at }] of issues.entries()) {
    if (number % 3 !== 0) continue
    const daysAgo = Math.max(1, Math.floor((now.getTime() - at.getTime()) / dayMs) - 1)
    const time = workingTime(now, daysAgo)
    await client.query(
      'insert into issue_comment (account_id, id, issue_id, text, actor, created_at) values ($1, $2, $3, $4, $5, $6)',
      [workspace, idAt(time), issue_id, comments[number % comments.length], users[number % users.length], time],
    )
  }
}

const isActive = ({ status }: Event) => status === 'STATUS_OPEN' || status === 'STATUS_REGRESSION'

/** The last event of each issue and host before this time. */
function latest(events: readonly Event[], until: Date): Map<string, Event> {
  const last = new Map<string, Event>()
  for (const event of events) if (event.at <= until) last.set(`${event.issue_id} ${event.host_id}`, event)
  return last
}

const wholeAccount = '00000000-0000-0000-0000-000000000000'
const worstFirst: readonly Status[] = ['STATUS_REGRESSION', 'STATUS_OPEN', 'STATUS_IGNORED', 'STATUS_RESOLVED']
const severities = ['CATEGORY_CRITICAL', 'CATEGORY_HIGH', 'CATEGORY_MEDIUM', 'CATEGORY_LOW']

/**
 * Writes the closed days for charts, per target and for the workspace. The counts are described in `stats/slots.ts` of
 * the server.
 */
async function writeDays(
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
