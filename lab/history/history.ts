/**
 * Creates three months of history for the demo workspace.
 *
 * Moves what scans found and users decided today into the past, and adds issues that were fixed in the meantime.
 * The API can't backdate anything, so this writes to the database. Only the demo does that.
 */
import type { Client } from 'pg'
import { addComments } from './comments.ts'
import { writeDays } from './days.ts'
import { moveEventsToPast } from './events.ts'
import { addFixedIssues } from './fixed-issues.ts'
import { addScans } from './scans.ts'
import { days, scanTime } from './times.ts'

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

async function backdate(client: Client, workspace: string, startTime: Date): Promise<void> {
  for (const statement of [
    'update workspace set created_at = $2 where id = $1',
    'update target set created_at = $2 where account_id = $1',
    'update host set first_seen_at = $2 where account_id = $1',
    'update service set first_seen_at = $2 where account_id = $1',
    'update product set created_at = $2 where account_id = $1',
    'update host_product set first_seen_at = $2 where account_id = $1',
  ])
    await client.query(statement, [workspace, startTime])
  // Results of today's scans must not be shown as new.
  await client.query('update scan set new_count = 0 where account_id = $1', [workspace])
  await client.query(`update scan_issue set change = 'SEEN' where account_id = $1 and change = 'NEW'`, [workspace])
}
