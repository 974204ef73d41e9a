import type { StatsPeriod } from '@glacis/contract/insights'
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

/** Number of points and days between them for each period. The last point is now. */
export const intervals: Readonly<Record<StatsPeriod, { readonly points: number; readonly days: number }>> = {
  PERIOD_WEEK: { points: 7, days: 1 },
  PERIOD_MONTH: { points: 30, days: 1 },
  PERIOD_QUARTER: { points: 91, days: 1 },
  PERIOD_YEAR: { points: 53, days: 7 },
}

export interface Point {
  /** `2026-11-20`, in the workspace's time zone. */
  readonly day: string
  /** The last millisecond of the day. */
  readonly at: Date
}

/** The days at whose ends the period is sampled, oldest first, without the last point (now). */
export async function pastPoints(ctx: Ctx, period: StatsPeriod): Promise<Point[]> {
  const { points, days } = intervals[period]
  const { rows } = await sql<Point>`
    select day::text as day, (day + 1)::timestamp at time zone time_zone - interval '1 millisecond' as at
    from (
      select time_zone, (${ctx.now}::timestamptz at time zone time_zone)::date - ${days}::int * number as day
      from workspace, generate_series(${points}::int - 1, 1, -1) as number
      where id = ${ctx.workspace}
    ) as counted
    order by day`.execute(ctx.tx)
  return rows
}
