import { type Log, systemActor } from '#ctx.ts'
import { type Database, inAccount } from '#database/index.ts'
import { onEach } from '#each.ts'
import { closeDays, settledMs } from '#stats/days.ts'
import { wholeAccount } from '#stats/slots.ts'
import { sql } from 'kysely'

/**
 * Closes the days that have ended, account by account, each in a transaction of its own. Days that a clock ahead of time
 * has closed before they ended are taken back first: what happened in them since then would count in none.
 */
export async function closeEndedDays({
  database,
  log,
}: {
  readonly database: Database
  readonly log: Log
}): Promise<void> {
  const now = new Date()
  const { rows } = await sql<{ id: string; is_ahead: boolean }>`
    select account.id, coalesce(closed.day > ${yesterday(now)}, false) as is_ahead
    from account
    left join lateral (
      select max(day) as day from stats_day where account_id = account.id and target_id = ${wholeAccount}
    ) as closed on true
    where (closed.day > ${yesterday(now)}
        or coalesce(closed.day, '-infinity') < ${yesterday(new Date(now.getTime() - settledMs))})
      and exists (select from issue_event where account_id = account.id)`.execute(database.owner)
  await onEach(rows, async ({ id, is_ahead }) => {
    if (is_ahead) await takeBack({ database, log }, id, now)
    const days = await inAccount(database, { account: id, actor: systemActor, log }, closeDays)
    if (days > 1) log.info({ account: id, days }, 'days closed')
  })
}

/** The last day that has ended by then, in the time zone of a row `account`. */
const yesterday = (now: Date) => sql`((${now}::timestamptz at time zone account.time_zone)::date - 1)`

async function takeBack({ database, log }: { database: Database; log: Log }, id: string, now: Date): Promise<void> {
  await sql`
    delete from stats_day
    using account
    where account.id = ${id} and stats_day.account_id = account.id and stats_day.day > ${yesterday(now)}`.execute(
    database.owner,
  )
  log.warn({ account: id }, 'days taken back that were closed before they ended')
}
