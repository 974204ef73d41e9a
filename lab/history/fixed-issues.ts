/** Issues that were found and fixed during the demo's history. */
import type { Client } from 'pg'
import { foundDaysAgo, fraction, idAt, scanTime } from './times.ts'

const fixedCount = 52

/** Adds issues that were found and fixed in the meantime, on existing hosts. */
export async function addFixedIssues(client: Client, workspace: string, now: Date): Promise<void> {
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
