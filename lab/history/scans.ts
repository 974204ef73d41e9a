/** The nightly scans in the demo's history. */
import type { Client } from 'pg'
import { type Event, type Status, isActive, latest } from './events.ts'
import { days, fraction, idAt, scanTime } from './times.ts'

/** Adds a nightly scan of each target. */
export async function addScans(client: Client, workspace: string, events: readonly Event[], now: Date): Promise<void> {
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
