/** Daily snapshots of the counts, the data of charts. */
import { type Ctx, type Log, systemActor } from '#ctx.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import { forEachSettled } from '#for-each-settled.ts'
import { allCurrentCounts } from '#stats/counts.ts'
import { wholeWorkspace } from '#stats/slots.ts'
import { sql } from 'kysely'

/**
 * Closes the days that have ended, workspace by workspace, each in its own transaction. Days that were closed early
 * because the clock was ahead are removed first, so that they are closed again later.
 */
export async function closeEndedDays({
  database,
  log,
}: {
  readonly database: Database
  readonly log: Log
}): Promise<void> {
  const now = new Date()
  const { rows } = await sql<{ id: string; yesterday: string }>`
    select id, yesterday::text as yesterday
    from (
      select id, ${dayOf(sql`created_at`)} as created, ${dayOf(sql`${now}::timestamptz`)} - 1 as yesterday
      from workspace
    ) as workspace
    where yesterday >= created and yesterday is distinct from (
      select max(day) from stats_day where account_id = workspace.id and target_id = ${wholeWorkspace})`.execute(
    database.owner,
  )
  await forEachSettled(rows, async ({ id, yesterday }) => {
    await database.owner.deleteFrom('stats_day').where('account_id', '=', id).where('day', '>', yesterday).execute()
    await inWorkspace(database, { workspace: id, actor: systemActor, log, now }, closeDays)
  })
}

/**
 * Writes the current counts for every ended day that isn't closed yet. A closed day is never written again. Days
 * without a running server get the same counts, because nothing changed in the meantime.
 */
export async function closeDays(ctx: Ctx): Promise<void> {
  const counts = Array.from(await allCurrentCounts(ctx), ([scope, each]) => ({ scope, counts: each }))
  await sql`
    with missed as (
      select day::date as day
      from workspace, generate_series(
        coalesce(
          (select max(day) + 1 from stats_day where account_id = workspace.id and target_id = ${wholeWorkspace}),
          ${dayOf(sql`created_at`)}),
        ${dayOf(sql`${ctx.now}::timestamptz`)} - 1, interval '1 day') as day
      where id = ${ctx.workspace}
    )
    insert into stats_day (account_id, target_id, day, closed_at, counts)
    select ${ctx.workspace}, scope, day, ${ctx.now}, counts
    from missed, jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as current (scope uuid, counts integer[])
    -- A target has a row only for days that changed its counts.
    where scope = ${wholeWorkspace} or (day = (select min(day) from missed) and counts is distinct from (
      select counts from stats_day
      where account_id = ${ctx.workspace} and target_id = scope
      order by stats_day.day desc
      limit 1))
    on conflict do nothing`.execute(ctx.tx)
}

/** The date of a timestamp in the time zone of a row `workspace`. */
const dayOf = (time: ReturnType<typeof sql>) => sql`(${time} at time zone time_zone)::date`
