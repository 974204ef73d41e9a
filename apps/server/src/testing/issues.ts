/** Test fixture: issues on hosts, as created by scans. */
import { newId } from '#database/index.ts'
import { describeThreats, type ThreatDraft } from '#threats/index.ts'
import { refreshCounts } from '#issues/status-counts.ts'
import type { TestServer } from '#testing/test-server.ts'
import { startScan } from '#scans/index.ts'
import { createTag, deleteTag, deleteTargets, describeTargets } from '#targets/index.ts'
import { sql } from 'kysely'

/** Re-exported for tests, which may not import other modules. */
export { createTag, deleteTag, deleteTargets, describeTargets, refreshCounts, describeThreats, startScan }

export interface Seeded {
  readonly targetId: string
  readonly hostIds: readonly string[]
  /** In the order of their threats. The first two are critical, the others low. */
  readonly issueIds: readonly string[]
  readonly lowIds: readonly string[]
}

/** Creates `issues` issues, each open since `at` on all of `hosts` hosts of one target. */
export async function seedIssues(
  server: TestServer,
  workspace: string,
  { issues, hosts, at }: { readonly issues: number; readonly hosts: number; readonly at: Date },
): Promise<Seeded> {
  await server.addThreats(...Array.from({ length: issues }, (_, number) => threat(number)))
  const { owner } = server.database
  const targetId = newId()
  await owner
    .insertInto('target')
    .values({
      account_id: workspace,
      id: targetId,
      name: 'Web',
      address: '127.63.0.0/16',
      kind: 'NETWORK',
      schedule_period: 'PERIOD_WEEKLY',
      next_scan_at: null,
      created_at: at,
      updated_at: at,
      deleted_at: null,
    })
    .execute()
  await sql`
    insert into host (account_id, id, target_id, address, name, first_seen_at, last_seen_at, last_checked_at, updated_at)
    select ${workspace}, new_id(), ${targetId}, '127.63.' || n / 256 || '.' || n % 256, '', ${at}, ${at}, ${at}, ${at}
    from generate_series(0, ${hosts}::int - 1) as n`.execute(owner)
  await sql`
    insert into issue (account_id, id, threat_id, status, verification, quality, priority, score, category, host_count,
                       first_seen_at, last_seen_at, updated_at, epss, title)
    select ${workspace}, new_id(), id, 'STATUS_OPEN', 'VERIFICATION_VERIFIED', 99, score::int * 10, score, category, ${hosts},
           ${at}, ${at}, ${at}, coalesce(epss_score, 0), lower(name || ' ' || key)
    from threat
    where name ~ '^Threat [0-9]+$' and substr(name, 8)::int < ${issues}`.execute(owner)
  await sql`
    insert into occurrence (account_id, id, issue_id, host_id, target_id, location, port, method, status, quality, evidence,
                            evidence_key, decided_by, first_seen_at, last_seen_at)
    select ${workspace}, new_id(), issue.id, host.id, ${targetId}, '80/', 80, 'a-check', 'STATUS_OPEN', 99,
           '{"location": "80/", "port": 80, "method": "a-check", "quality": 99, "text": "proof", "highlights": []}',
           'key', 'scan', ${at}, ${at}
    from issue join host on host.account_id = issue.account_id
    where issue.account_id = ${workspace}`.execute(owner)
  await sql`
    insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor)
    select account_id, new_id(), issue_id, host_id, target_id, 'STATUS_OPEN', 'VERIFICATION_VERIFIED', first_seen_at, 'scan'
    from occurrence where account_id = ${workspace}
    union all
    select account_id, new_id(), id, null, null, 'STATUS_OPEN', 'VERIFICATION_VERIFIED', first_seen_at, 'scan'
    from issue where account_id = ${workspace}`.execute(owner)
  const { rows } = await sql<{ id: string; category: string }>`
    select issue.id, issue.category from issue join threat on threat.id = issue.threat_id
    where issue.account_id = ${workspace}
    order by substr(threat.name, 8)::int`.execute(owner)
  const { rows: hostRows } = await sql<{ id: string }>`
    select id from host where account_id = ${workspace} order by address`.execute(owner)
  await server.as(workspace, (ctx) =>
    refreshCounts(
      ctx,
      rows.map((row) => row.id),
    ),
  )
  return {
    targetId,
    hostIds: hostRows.map((row) => row.id),
    issueIds: rows.map((row) => row.id),
    lowIds: rows.filter((row) => row.category === 'CATEGORY_LOW').map((row) => row.id),
  }
}

function threat(number: number): Partial<ThreatDraft> {
  const isLow = number >= 2
  return {
    key: `CVE-2026-${String(number + 1).padStart(4, '0')}`,
    name: `Threat ${number}`,
    severity: { cvss: '', score: isLow ? 2.1 : 9.8, category: isLow ? 'CATEGORY_LOW' : 'CATEGORY_CRITICAL' },
    knownExploitedAt: number === 0 ? new Date('2026-01-01T00:00:00Z') : null,
    epss: number === 0 ? { score: 0.94, percentile: 0.999 } : null,
    solution: { kind: number === 1 ? 'KIND_VENDOR_FIX' : 'KIND_NONE', description: '' },
  }
}
