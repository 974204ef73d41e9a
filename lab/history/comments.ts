/** Comments in the demo's history. */
import type { Client } from 'pg'
import { type Event, users } from './events.ts'
import { dayMs, idAt, workingTime } from './times.ts'

const comments = [
  'Ticket opened with the platform team.',
  'Patched on staging; production follows in the next maintenance window.',
  'Vendor confirmed the fix; waiting for the package in our mirror.',
  'Reachable only from the VPN, so this can wait until the end of the month.',
  'Verified with a manual request; still reproducible.',
] as const

export async function addComments(
  client: Client,
  workspace: string,
  events: readonly Event[],
  now: Date,
): Promise<void> {
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
