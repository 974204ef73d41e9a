/**
 * Fills an empty, migrated database with three years of data of one large workspace and many small ones. All rows are
 * generated in the database, without triggers, and counted afterward.
 */
import { fillStatusCounts } from '#testing/status-counts.ts'
import type { Tables } from '#database/tables.ts'
import { type Kysely, sql } from 'kysely'

export interface SeedSize {
  readonly hosts: number
  readonly issues: number
  readonly occurrencesPerHost: number
  readonly smallAccounts: number
}

export const fullSize: SeedSize = { hosts: 100_000, issues: 20_000, occurrencesPerHost: 10, smallAccounts: 500 }

/** The workspaces of the seed by number; 0 is the large one. */
export function workspaceId(number: number): string {
  return `01920000-${number.toString(16).padStart(4, '0')}-7000-8000-000000000000`
}

const kindsOfRows = { target: 1, host: 2, product: 3, threat: 4, issue: 5, scan: 8 } as const

/** The ID of a row of a workspace, by default the large one. */
export function rowId(kind: keyof typeof kindsOfRows, number: number, workspace = 0): string {
  const [inWorkspace, inTable] = [workspace.toString(16).padStart(4, '0'), number.toString(16).padStart(12, '0')]
  return `0192000${kindsOfRows[kind]}-${inWorkspace}-7000-8000-${inTable}`
}

const largeAccountTargets = 400
const products = 600
const smallAccount = { targets: 3, hosts: 20, issues: 50, occurrencesPerHost: 10 }

/**
 * Seeds the database and calls `note` before each step.
 *
 * @param owner superuser connection to a database with empty tables
 */
export async function seed(owner: Kysely<Tables>, size: SeedSize, note: (step: string) => void): Promise<void> {
  await owner.connection().execute(async (connection) => {
    const run = (text: string) => sql.raw(text).execute(connection)
    // Checking each foreign key would take longer than everything else.
    await run(`set session_replication_role = replica`)
    await run(`set work_mem = '256MB'`)
    await run(`set maintenance_work_mem = '512MB'`)
    await run(`select setseed(0.42)`)
    for (const text of functions) await run(text)
    for (const [name, statements] of steps(size)) {
      note(name)
      for (const text of statements.split(';\n')) await run(text)
    }
    note('status counts')
    // Counts are filled by an untyped connection, as in a migration.
    const untyped = connection as unknown as Kysely<unknown>
    await fillStatusCounts(untyped)
    await run('reset all')
  })
  note('statistics')
  await sql`vacuum analyze`.execute(owner)
}

/** IDs derived from numbers, so that rows can reference each other without joins. */
const functions = [
  `create function pg_temp.id(kind int, account int, number bigint) returns uuid language sql immutable as $$
    select ('0192' || lpad(to_hex(kind), 4, '0') || '-' || lpad(to_hex(account), 4, '0') || '-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid
  $$`,
  `create function pg_temp.wfn(number bigint) returns jsonb language sql immutable as $$
    select jsonb_build_object('part', 'a', 'vendor', 'vendor' || number % 90, 'product', 'product' || number, 'version', (number % 9) || '.' || (number % 17),
      'update', '*', 'edition', '*', 'language', '*', 'softwareEdition', '*', 'targetSoftware', '*', 'targetHardware', '*', 'other', '*',
      'text', 'cpe:2.3:a:vendor' || number % 90 || ':product' || number || ':' || (number % 9) || '.' || (number % 17) || ':*:*:*:*:*:*:*')
  $$`,
  // The size of each workspace; workspace 0 is the large one.
  `create temp table size (account int primary key, id uuid, targets int, hosts int, issues int, products int, per_host int)`,
]

/** Kinds of IDs: 1 target, 2 host, 3 product, 4 threat, 5 issue, 6 occurrence, 7 event, 8 scan, 9 tag. */
function steps({ hosts, issues, occurrencesPerHost, smallAccounts }: SeedSize): [string, string][] {
  const severity = `case when number % 20 = 0 then 9.8 when number % 4 = 0 then 7.5 when number % 3 = 0 then 3.1 else 5.3 end`
  return [
    [
      'accounts',
      `insert into size values (0, pg_temp.id(0, 0, 0), ${largeAccountTargets}, ${hosts}, ${issues}, ${products}, ${occurrencesPerHost});
       insert into size select number, pg_temp.id(0, number, 0), ${smallAccount.targets}, ${smallAccount.hosts}, ${smallAccount.issues}, 30, ${smallAccount.occurrencesPerHost}
         from generate_series(1, ${smallAccounts}) as number;
       insert into workspace (id, name, plan_id) select id, 'Account ' || account, 'business' from size;
       insert into member (account_id, identity_id, role, name, email)
         select id, 'bench' || account, 'owner', 'Account ' || account, 'bench' || account || '@example.ch' from size`,
    ],
    [
      'threats',
      `insert into threat (id, key, kind, name, summary, impact, affected, insight, cvss, score, category, solution_kind, solution, refs, epss_score, epss_percentile, known_exploited_at, record)
         select pg_temp.id(4, 0, number), 'CVE-20' || 10 + number % 15 || '-' || number, 'cve', 'product' || number % 600 || ' weakness ' || number,
                repeat('Crafted input leaves the folder. ', 4), repeat('Files can be read. ', 3), 'Versions before 9.9.', 'Paths are joined before they are checked.',
                'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', ${severity},
                case when number % 20 = 0 then 'CATEGORY_CRITICAL' when number % 4 = 0 then 'CATEGORY_HIGH' when number % 3 = 0 then 'CATEGORY_LOW' else 'CATEGORY_MEDIUM' end,
                'KIND_VENDOR_FIX', 'Update to 9.9.', '[{"url":"https://example.ch/advisory"}]', (number % 100) / 100.0, (number % 100) / 100.0,
                case when number % 50 = 0 then timestamptz '2025-01-01' end, null
         from generate_series(0, ${issues} - 1) as number`,
    ],
    [
      'software',
      `insert into software (part, vendor, product, title, threats)
         select 'a', 'vendor' || number % 9000, 'product_' || md5(number::text), initcap(translate(md5(number::text), '0123456789', 'rosteinalu')) || ' Server ' || number, number % 40
         from generate_series(1, ${issues} * 5) as number`,
    ],
    [
      'targets',
      `insert into target (account_id, id, name, address, kind, schedule_period, next_scan_at, created_at, updated_at)
         select size.id, pg_temp.id(1, account, number), 'Target ' || number, '10.' || number / 250 || '.' || number % 250 || '.0/24', 'NETWORK', 'PERIOD_WEEKLY',
                now() + interval '1 day', now() - interval '3 years', now() - interval '1 day'
         from size, generate_series(0, targets - 1) as number;
       insert into tag select id, pg_temp.id(9, account, number), 'tag ' || number, number from size, generate_series(0, 4) as number;
       insert into target_tag select id, pg_temp.id(1, account, number), pg_temp.id(9, account, number % 5) from size, generate_series(0, targets - 1) as number`,
    ],
    [
      'hosts',
      // One target in forty belongs to a group that shares a tenth of all hosts; the others share the rest.
      `insert into host (account_id, id, target_id, address, name, first_seen_at, last_seen_at, last_checked_at, updated_at)
         select id, pg_temp.id(2, account, number), pg_temp.id(1, account, case when number % 10 = 0 then 0 else number % targets end),
                '10.' || number / 62500 || '.' || number / 250 % 250 || '.' || number % 250, 'host-' || number || '.example.ch',
                now() - random() * interval '3 years', now() - interval '1 day', now() - interval '1 day', now() - interval '1 day'
         from size, generate_series(0, hosts - 1) as number;
       insert into service (account_id, host_id, port, transport, protocol, tls, banner, first_seen_at, last_seen_at)
         select id, pg_temp.id(2, account, number), port, 'tcp', 'http', port = 443, repeat('Server: nginx ', 3), now() - interval '1 year', now() - interval '1 day'
         from size, generate_series(0, hosts - 1) as number, unnest('{22,80,443}'::int[]) as port`,
    ],
    [
      'products',
      `insert into product (account_id, id, key, name, version, part, vendor, product, wfn, created_at, updated_at)
         select id, pg_temp.id(3, account, number), pg_temp.wfn(number)->>'text', 'Product ' || number, pg_temp.wfn(number)->>'version', 'a',
                pg_temp.wfn(number)->>'vendor', pg_temp.wfn(number)->>'product', pg_temp.wfn(number), now() - interval '3 years', now() - interval '1 day'
         from size, generate_series(0, products - 1) as number;
       insert into host_product (account_id, host_id, product_id, port, evidence, quality, first_seen_at, last_seen_at)
         select distinct on (seen.id, seen.host, seen.product, seen.port) seen.id, pg_temp.id(2, account, host), pg_temp.id(3, account, product), port, 'Server: product', 90, now() - interval '1 year', now() - interval '1 day'
         from (
           select size.id, account, host, port, floor(products * power(random(), 2))::int as product
           from size, generate_series(0, hosts - 1) as host, unnest('{22,80,443,443}'::int[]) as port
         ) as seen;
       update product set hosts = (
         select count(distinct host_id) from host_product
         where host_product.account_id = product.account_id and host_product.product_id = product.id)`,
    ],
    [
      'occurrences',
      `insert into occurrence (account_id, id, issue_id, host_id, target_id, location, port, method, status, quality, evidence, evidence_key, decided_by,
                               first_seen_at, last_seen_at, ignored_at, resolved_at)
         select id, pg_temp.id(6, account, row_number() over ()), pg_temp.id(5, account, issue), pg_temp.id(2, account, host),
                pg_temp.id(1, account, case when host % 10 = 0 then 0 else host % targets end),
                -- One in three is proven by a check, the others are inferred from a version.
                case when issue % 3 = 0 then port || '/path' else port || ' vendor' || issue % 600 % 90 || ':product' || issue % 600 end, port,
                case when issue % 3 = 0 then 'check-' || issue else 'version' end,
                status, case when issue % 3 = 0 then 99 else 70 end,
                jsonb_build_object('location', port || '/path', 'port', port, 'method', 'check-' || issue, 'quality', 99, 'text', repeat('[core] repositoryformatversion = 0 ', 5), 'highlights', '["[core]"]'::jsonb),
                'key' || issue, 'scan', first_seen, now() - interval '1 day',
                case when status = 'STATUS_IGNORED' then now() - interval '30 days' end,
                case when status = 'STATUS_RESOLVED' then least(first_seen + random() * interval '120 days', now() - interval '1 day') end
         from (
           select distinct on (account, issue, host) size.*,
                  (now() - interval '1 day') - random() * interval '3 years' as first_seen,
                  case when luck < 0.55 then 'STATUS_RESOLVED' when luck < 0.6 then 'STATUS_IGNORED' when luck < 0.65 then 'STATUS_REGRESSION' else 'STATUS_OPEN' end as status
           from (
             select size.*, host, floor(issues * power(random(), 2))::int as issue, (array[22,80,443])[1 + floor(random() * 3)::int] as port, random() as luck
             from size, generate_series(0, hosts - 1) as host, generate_series(1, per_host) as nth
           ) as size
         ) as seen`,
    ],
    [
      'issues',
      `insert into issue (account_id, id, threat_id, status, verification, quality, priority, score, category, host_count, first_seen_at, last_seen_at, ignored_at, resolved_at, updated_at, title)
         select occurrence.account_id, occurrence.issue_id, threat.id,
                ('{STATUS_REGRESSION,STATUS_OPEN,STATUS_IGNORED,STATUS_RESOLVED}'::text[])[min(array_position('{STATUS_REGRESSION,STATUS_OPEN,STATUS_IGNORED,STATUS_RESOLVED}'::text[], occurrence.status))],
                case when bool_or(occurrence.method <> 'version') then 'VERIFICATION_VERIFIED' else 'VERIFICATION_UNVERIFIED' end,
                max(occurrence.quality), least(100, (5 * threat.score * (1 + sqrt(coalesce(threat.epss_score, 0))))::int), threat.score, threat.category, count(distinct host_id),
                min(first_seen_at), max(last_seen_at) - (random() * interval '20 days'), max(occurrence.ignored_at), max(occurrence.resolved_at), now(), lower(threat.name || ' ' || threat.key)
         from occurrence
         join threat on threat.id = pg_temp.id(4, 0, ('x' || right(occurrence.issue_id::text, 8))::bit(32)::int)
         group by occurrence.account_id, occurrence.issue_id, threat.id`,
    ],
    [
      'events of hosts',
      `insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor)
         select account_id, new_id(), issue_id, host_id, target_id, 'STATUS_OPEN', case when method = 'version' then 'VERIFICATION_UNVERIFIED' else 'VERIFICATION_VERIFIED' end, first_seen_at, 'scan' from occurrence;
       insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor)
         select account_id, new_id(), issue_id, host_id, target_id, case when status = 'STATUS_IGNORED' then status else 'STATUS_RESOLVED' end, case when method = 'version' then 'VERIFICATION_UNVERIFIED' else 'VERIFICATION_VERIFIED' end,
                coalesce(resolved_at, least(first_seen_at + interval '20 days', now() - interval '1 hour')), 'scan' from occurrence where status <> 'STATUS_OPEN';
       insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor)
         select account_id, new_id(), issue_id, host_id, target_id, status, case when method = 'version' then 'VERIFICATION_UNVERIFIED' else 'VERIFICATION_VERIFIED' end,
                least(first_seen_at + interval '60 days', now() - interval '30 minutes'), 'scan' from occurrence where status = 'STATUS_REGRESSION'`,
    ],
    [
      'events of issues',
      `insert into issue_event (account_id, id, issue_id, status, verification, at, actor)
         select account_id, new_id(), id, 'STATUS_OPEN', verification, first_seen_at, 'scan' from issue;
       insert into issue_event (account_id, id, issue_id, status, verification, at, actor)
         select account_id, new_id(), id, case when status = 'STATUS_IGNORED' then status else 'STATUS_RESOLVED' end, verification, least(first_seen_at + interval '200 days', now() - interval '2 hours'), 'Nora' from issue where status <> 'STATUS_OPEN';
       insert into issue_event (account_id, id, issue_id, status, verification, at, actor)
         select account_id, new_id(), id, status, verification, least(first_seen_at + interval '300 days', now() - interval '1 hour'), 'scan' from issue where status = 'STATUS_REGRESSION'`,
    ],
    [
      'closed days',
      // The workspace has a row for each day of three years, a target one for each week.
      `insert into stats_day (account_id, target_id, day, closed_at, counts)
         select size.id, case when number < 0 then '00000000-0000-0000-0000-000000000000' else pg_temp.id(1, account, number) end,
                current_date - ago, now(), array(select (1096 - ago) * (slot + 1) from generate_series(0, 29) as slot)
         from size, generate_series(-1, targets - 1) as number, generate_series(1, 1095) as ago
         where number < 0 or ago % 7 = 0`,
    ],
    [
      'scans',
      `insert into scan (account_id, id, target_id, type, status, phase, hosts_total, hosts_done, scanned_hosts, affected_hosts, critical, high, medium, low, started_by, created_at, started_at, completed_at, last_activity_at, updated_at)
         select id, pg_temp.id(8, account, week * targets + number), pg_temp.id(1, account, number), 'TYPE_AUTOMATIC', 'STATUS_COMPLETED', 'PHASE_DONE', 250, 250, 200, 90, 1, 2, 3, 4, 'schedule', at, at, at + interval '1 hour', at, at
         from size, generate_series(0, targets - 1) as number, generate_series(0, 155) as week, lateral (select now() - interval '1 day' - (155 - week) * interval '7 days' - number * interval '3 minutes' as at) as moment;
       insert into scan_issue (account_id, scan_id, issue_id, host_id, change)
         select distinct on (size.id, number, issue_id, host_id) size.id, pg_temp.id(8, account, 155 * targets + number), issue_id, host_id, 'SEEN'
         from size, generate_series(0, targets - 1) as number
         join lateral (select issue_id, host_id from occurrence where account_id = size.id and target_id = pg_temp.id(1, size.account, number) and status in ('STATUS_OPEN', 'STATUS_REGRESSION')) as seen on true;
       insert into scan_host (account_id, scan_id, address, host_id, reached, reason)
         select distinct on (size.id, host.target_id, address) size.id, pg_temp.id(8, account, 155 * targets + ('x' || right(host.target_id::text, 8))::bit(32)::int), address, host.id, true, 'port 80 open'
         from size join host on host.account_id = size.id;
       insert into scan_event (account_id, id, scan_id, at, level, message)
         select account_id, new_id(), id, completed_at, 'LEVEL_INFO', 'Completed: 200 hosts scanned' from scan`,
    ],
  ]
}
