/** Invariants that must hold after every fault, read directly from the database. */
import type { Acknowledged } from './load.ts'
import { withClient } from './query.ts'

/** The first attempt of a delivery and its retries, which continue for longer than any fault lasts; see `jobs.ts`. */
const attemptsMax = 12

/** Messages that third-party servers have accepted: webhooks by ID, emails by recipient. */
export interface Received {
  readonly webhooks: ReadonlyMap<string, number>
  readonly emails: ReadonlyMap<string, number>
}

/** Writes that were acknowledged before the snapshot, and the last decisions until now. */
type Check = (
  query: Query,
  acknowledged: Acknowledged,
  statusesNow: ReadonlyMap<string, string>,
  received: Received | null,
) => Promise<readonly string[]>
type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>

/** Each returns its violations. */
const always: Readonly<Record<string, Check>> = {
  'acknowledged writes exist': async (query, { tags, comments, scans }) => {
    const missing = async (table: string, ids: readonly string[]) =>
      (await query(`select id from unnest($1::uuid[]) as id where id not in (select id from ${table})`, [ids])).map(
        ({ id }) => `${table} ${String(id)}`,
      )
    return [
      ...(await missing('tag', tags)),
      ...(await missing('issue_comment', comments)),
      ...(await missing('scan', scans)),
    ]
  },
  'decisions are kept': async (query, { statuses }, statusesNow) => {
    const rows = await query('select id::text, status from issue where id = any($1::uuid[])', [[...statuses.keys()]])
    const current = new Map(rows.map(({ id, status }) => [id, status]))
    // A decision that came after the snapshot is compared next time.
    const isLost = ([id, status]: [string, string]) =>
      ![status, 'STATUS_RESOLVED'].includes(String(current.get(id))) && statusesNow.get(id) === status
    return [...statuses].filter(isLost).map(([id, status]) => `issue ${id} is not ${status}`)
  },
  'no occurrence is duplicated': (query) =>
    found(
      query,
      `select issue_id::text as item from occurrence
       group by account_id, issue_id, host_id, location, method having count(*) > 1`,
    ),
  'no host is duplicated': (query) =>
    found(query, 'select address::text as item from host group by account_id, target_id, address having count(*) > 1'),
  'issues have the status of their occurrences': (query) =>
    found(
      query,
      `select id::text as item from issue
       where (status in ('STATUS_OPEN', 'STATUS_REGRESSION')) <> exists (
         select from occurrence where occurrence.account_id = issue.account_id and issue_id = issue.id
           and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION'))
         and not exists (select from issue_decision where issue_decision.account_id = issue.account_id and issue_id = issue.id)`,
    ),
  'counts of hosts equal a recount': (query) =>
    found(
      query,
      `select host_count.host_id::text as item from host_count
       where verified + potential <> (
         select count(distinct issue_id) from occurrence
         where occurrence.account_id = host_count.account_id and occurrence.host_id = host_count.host_id
           and occurrence.status in ('STATUS_OPEN', 'STATUS_REGRESSION'))`,
    ),
  'counts of targets equal a recount': (query) =>
    found(
      query,
      `select target_id::text as item from target_count
       where hosts <> (
         select count(*) from host_count
         where host_count.account_id = target_count.account_id and host_count.target_id = target_count.target_id
           and verified + potential > 0)`,
    ),
  'a finished scan has finished all of its batches': (query) =>
    found(
      query,
      `select id::text as item from scan where status = 'STATUS_COMPLETED' and exists (
         select from scan_batch where scan_batch.account_id = scan.account_id and scan_id = scan.id and state <> 'DONE')`,
    ),
  'no delivery has more attempts than its retries': (query) =>
    found(query, `select id::text as item from delivery where attempts > ${attemptsMax}`),
  'no event is delivered twice': async (query) =>
    found(
      query,
      `select event->>'id' as item from delivery cross join jsonb_array_elements(notices) as event
       group by account_id, channel_id, event->>'id' having count(*) > 1`,
    ),
  'delivered webhooks were received': async (query, _, __, received) => {
    if (received === null) return []
    const rows = await query(
      "select delivery.id::text from delivery where state = 'STATE_DELIVERED' and completed_at is not null",
    )
    return rows.flatMap(({ id }) => (received.webhooks.has(String(id)) ? [] : [String(id)]))
  },
}

/** Invariants that must hold once all work is done. */
const atTheEnd: Readonly<Record<string, Check>> = {
  'every scan has ended': (query) =>
    found(
      query,
      `select id::text || ' ' || status as item from scan where status in ('STATUS_CREATED', 'STATUS_RUNNING')`,
    ),
  'no batch has two leases': (query) =>
    found(
      query,
      `select scan_id::text as item from scan_lease where state = 'STATE_DONE'
       group by account_id, scan_id, number having count(*) > 1`,
    ),
  'no lease is held': (query) => found(query, `select id::text as item from scan_lease where state = 'STATE_RUNNING'`),
  'every notification has been delivered': (query) =>
    found(
      query,
      `select id::text || ' ' || state || ' ' || error as item from delivery where state <> 'STATE_DELIVERED'`,
    ),
  'every event is in a delivery': async (query) => {
    const [row] = await query(
      `select (select count(*) from event, channel where event.account_id = channel.account_id and event.kind = any(channel.events))
            - (select coalesce(sum(event_count), 0) from delivery) as missing`,
    )
    return Number(row?.['missing']) === 0 ? [] : [`${String(row?.['missing'])} events`]
  },
  // A worker that is killed after sending hasn't counted the attempt.
  'no webhook is received more often than its retries allow': async (_, __, ___, received) =>
    [...(received?.webhooks ?? [])].flatMap(([id, count]) => (count > attemptsMax ? [id] : [])),
  'every invitation has been emailed': async (_, { invitations }, __, received) =>
    invitations.filter((address) => received?.emails.has(address) === false),
  'queues are empty': (query) =>
    found(
      query,
      `select name || ' ' || state as item from pgboss.job
       where state in ('created', 'retry', 'active') and name not like '\\_\\_%' and start_after < now() + interval '1 minute'`,
    ),
}

async function found(query: Query, text: string): Promise<string[]> {
  return (await query(text)).map(({ item }) => String(item))
}

/** @returns violations, such as `no occurrence is duplicated: 0199c0de…` */
export async function violations(
  databaseUrl: string,
  acknowledged: Acknowledged,
  { isEnd = false, received = null }: { readonly isEnd?: boolean; readonly received?: Received | null } = {},
): Promise<string[]> {
  return withClient(databaseUrl, async (client) => {
    // The load continues in the meantime: what it adds from here on may be missing from the snapshot.
    const { statuses } = acknowledged
    const before = structuredClone(acknowledged)
    await client.query('begin isolation level repeatable read read only')
    const query: Query = async (text, values = []) =>
      (await client.query<Record<string, unknown>>(text, [...values])).rows
    const results: string[] = []
    for (const [name, check] of Object.entries({ ...always, ...(isEnd && atTheEnd) }))
      for (const item of (await check(query, before, statuses, received)).slice(0, 3)) results.push(`${name}: ${item}`)
    return results
  })
}
