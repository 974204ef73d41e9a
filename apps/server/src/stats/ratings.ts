/** How bad an issue was on which day, where that changed while it stood. */
import type { Ctx } from '#ctx.ts'
import type { Window } from '#stats/steps.ts'
import { type RawBuilder, sql } from 'kysely'

/** Issues and the days on which they were rated anew; `is_new` within the window itself. */
export function ratedUntil(ctx: Ctx, { from, to, zone }: Pick<Window, 'from' | 'to' | 'zone'>): RawBuilder<unknown> {
  return sql`
    select issue_id, (at at time zone ${zone})::date as day, bool_or(at >= ${from}) as is_new
    from issue_rating
    where account_id = ${ctx.account} and at < ${to}
    group by 1, 2`
}

/**
 * Where issues stood on days on which they were rated anew and nothing else happened: as on the last day before in a
 * table `told`.
 *
 * @param columns of `told`, with the day of `rated`
 * @param samePlace whether a row `later` of `told` is about the same as `told`, beside the issue
 */
export function ratedOnly(columns: RawBuilder<unknown>, samePlace: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select ${columns}
    from rated
    join told on told.issue_id = rated.issue_id and told.day < rated.day
    where not exists (
      select from told as later
      where later.issue_id = told.issue_id and ${samePlace} and later.day > told.day and later.day <= rated.day)`
}

/** The severity that the issue of a row `standing` had at the end of its day. */
export function categoryOf(ctx: Ctx, zone: string): RawBuilder<unknown> {
  const ratings = sql`
    from issue_rating as rating
    where rating.account_id = ${ctx.account} and rating.issue_id = standing.issue_id`
  const end = sql`((standing.day + 1)::timestamp at time zone ${zone})`
  return sql`coalesce(
    (select after ${ratings} and at < ${end} order by at desc, id desc limit 1),
    (select before ${ratings} order by at, id limit 1),
    issue.category)`
}
