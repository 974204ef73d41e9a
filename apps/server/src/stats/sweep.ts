import { type Log, systemActor } from '#ctx.ts'
import { type Database, inAccount } from '#database/index.ts'
import { onEach } from '#each.ts'
import { closeDays, settledMs } from '#stats/days.ts'
import { wholeAccount } from '#stats/slots.ts'
import { sql } from 'kysely'

/** Closes the days that have ended, account by account, each in a transaction of its own. */
export async function closeEndedDays({
  database,
  log,
}: {
  readonly database: Database
  readonly log: Log
}): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select account.id
    from account
    left join lateral (
      select max(day) as day from stats_day where account_id = account.id and target_id = ${wholeAccount}
    ) as closed on true
    where coalesce(closed.day, '-infinity') < ((${new Date(Date.now() - settledMs)}::timestamptz) at time zone time_zone)::date - 1
      and exists (select from issue_event where account_id = account.id)`.execute(database.owner)
  await onEach(rows, async ({ id }) => {
    const days = await inAccount(database, { account: id, actor: systemActor, log }, closeDays)
    if (days > 1) log.info({ account: id, days }, 'days closed')
  })
}
