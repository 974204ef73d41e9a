/** Issues that were found and fixed during the demo's history. */
import type { Client } from 'pg'
import { foundDaysAgo, fraction, idAt, scanTime } from './times.ts'

const fixedMax = 52
/** Checks of weaknesses that any web server can have. */
const commonChecks = (
  'backup-archive-exposed cors-reflects-origin directory-listing env-backup-exposed git-config-exposed htpasswd-exposed ' +
  'login-form-over-http open-redirect-parameter phpinfo-exposed session-cookie-without-httponly shell-history-exposed ' +
  'source-map-exposed sql-injection-error sqlite-database-exposed tls-certificate-expired tls-certificate-name-mismatch ' +
  'tls-chain-incomplete tls-version-weak'
).split(' ')

/** Adds issues that were found and fixed in the meantime, on hosts whose software they affect. */
export async function addFixedIssues(client: Client, workspace: string, now: Date): Promise<void> {
  const { rows } = await client.query<{ id: string; kind: string; host_id: string; target_id: string; port: number }>(
    `with possible as (
       select threat_id as id, host_id, port
       from threat_product join product using (vendor, product)
       join host_product on host_product.account_id = product.account_id and product_id = product.id
       where product.account_id = $1
       union all
       select threat.id, host_id, port from threat join service on account_id = $1 and protocol = 'http'
       where key = any($2) and port in (80, 443) and (tls or key not like 'tls-%')
     ), chosen as (
       select distinct on (threat.id) threat.id, key, kind, host.id as host_id, target_id, port
       from possible join threat using (id) join host on host.account_id = $1 and host.id = host_id
       where category <> 'CATEGORY_NONE' and kind <> 'lifecycle'
         and not exists (select from issue where account_id = $1 and threat_id = threat.id)
       order by threat.id, md5(key || host.address::text)
     )
     select * from chosen order by row_number() over (partition by kind = 'check' order by md5(key)), kind limit $3`,
    [workspace, commonChecks, fixedMax],
  )
  for (const [number, threat] of rows.entries()) {
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
       select $1, $2::uuid, $3, $4, $5, $11::int::text, $11, $6::text, 'STATUS_RESOLVED', $7::int,
         jsonb_build_object('location', $11::int::text, 'port', $11::int, 'method', $6::text, 'quality', $7::int, 'text', name, 'highlights', '[]'::jsonb),
         $2::text, 'scan', $8, $9, $9
       from threat where id = $10`,
      [
        workspace,
        idAt(from),
        issueId,
        threat.host_id,
        threat.target_id,
        isVerified ? 'demo' : 'version',
        isVerified ? 99 : 80,
        from,
        to,
        threat.id,
        threat.port,
      ],
    )
    await client.query(
      `insert into issue_target (account_id, target_id, issue_id, status, verified_status, potential_status, category)
       select $1, $2, $3, 'STATUS_RESOLVED', $4, $5, category from issue where account_id = $1 and id = $3`,
      [
        workspace,
        threat.target_id,
        issueId,
        isVerified ? 'STATUS_RESOLVED' : null,
        isVerified ? null : 'STATUS_RESOLVED',
      ],
    )
    for (const isOfHost of [false, true]) {
      for (const [status, at] of [
        ['STATUS_OPEN', from],
        ['STATUS_RESOLVED', to],
      ] as const)
        await client.query(
          `insert into issue_event (account_id, id, issue_id, host_id, target_id, status, verification, at, actor)
           values ($1, $2, $3, $4, $5, $6, $7, $8, 'scan')`,
          [
            workspace,
            idAt(at),
            issueId,
            isOfHost ? threat.host_id : null,
            isOfHost ? threat.target_id : null,
            status,
            verification,
            at,
          ],
        )
    }
  }
}
