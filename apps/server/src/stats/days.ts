import type { Ctx } from '#ctx.ts'
import { foldDays } from '#stats/fold.ts'
import { wholeAccount } from '#stats/slots.ts'
import { placeSteps, type Step, type Window, wholeSteps } from '#stats/steps.ts'
import { sql } from 'kysely'

/** A day is closed this long after its end, when every transaction of that day has long been committed. */
export const settledMs = 10 * 60_000
/** Targets whose days are closed in one statement. */
const targetsAtOnce = 25
/** Rows of closed days written in one statement. */
const rowsAtOnce = 2000

interface State {
  readonly zone: string
  readonly closed: string | null
  /** The first day that anything happened on. */
  readonly first: string | null
  readonly yesterday: string
  /** The last day that may be closed. */
  readonly settled: string
}

/**
 * Writes the close of every day of the account that has ended and is not closed yet. What is written
 * is never written again, so that a chart of the past shows tomorrow what it shows today. Events are
 * read as history tells them; whoever removes old ones must keep the last of each issue on each host.
 *
 * @returns how many days were closed
 */
export async function closeDays(ctx: Ctx): Promise<number> {
  const state = await stateOf(ctx)
  if (state.first === null || (state.closed !== null && state.closed >= state.settled)) return 0
  if (state.first > state.settled) return 0
  // One at a time per account; the others find it done.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`stats ${ctx.account}`}, 0))`.execute(ctx.tx)
  const { closed } = await stateOf(ctx)
  if (closed !== null && closed >= state.settled) return 0
  const window = await windowOf(ctx, state.zone, closed ?? dayBefore(state.first), state.settled)
  const account = await wholeSteps(ctx, window)
  const targets = await touchedTargets(ctx, window)
  for (let from = 0; from < targets.length; from += targetsAtOnce) {
    const steps = await placeSteps(ctx, window, targets.slice(from, from + targetsAtOnce))
    account.push(...steps.filter((step) => step.scope === wholeAccount))
    await write(
      ctx,
      window,
      steps.filter((step) => step.scope !== wholeAccount),
    )
  }
  await write(ctx, window, account)
  return window.days.length
}

/** Days that have ended and are not settled yet, as they look now; at most one or two. */
export async function unsettled(ctx: Ctx, scope: string): Promise<ReadonlyMap<string, number[]>> {
  const state = await stateOf(ctx)
  if (state.first === null || state.yesterday === state.closed) return new Map()
  const window = await windowOf(ctx, state.zone, state.closed ?? dayBefore(state.first), state.yesterday)
  if (window.days.length === 0) return new Map()
  const targets = scope === wholeAccount ? await touchedTargets(ctx, window) : [scope]
  const steps = [...(await wholeSteps(ctx, window)), ...(await placeSteps(ctx, window, targets))]
  const wanted = steps.filter((step) => step.scope === scope)
  const before = await lastCounts(ctx, window, [scope])
  return new Map(foldDays(window.days, wanted, before, { isDense: true, scope }).map((row) => [row.day, row.counts]))
}

async function stateOf(ctx: Ctx): Promise<State> {
  const { rows } = await sql<State>`
    select time_zone as zone,
           (select max(day)::text from stats_day where account_id = ${ctx.account} and target_id = ${wholeAccount}) as closed,
           (select (min(at) at time zone time_zone)::date::text from issue_event where account_id = ${ctx.account}) as first,
           ((${ctx.now}::timestamptz at time zone time_zone)::date - 1)::text as yesterday,
           ((${new Date(ctx.now.getTime() - settledMs)}::timestamptz at time zone time_zone)::date - 1)::text as settled
    from account
    where id = ${ctx.account}`.execute(ctx.tx)
  const [state] = rows
  if (!state) throw new Error('the account of this transaction exists')
  return state
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
}

/** The days after `after` until `last`, both as dates of the account's time zone. */
async function windowOf(ctx: Ctx, zone: string, after: string, last: string): Promise<Window> {
  const { rows } = await sql<{ from: Date; to: Date; days: string[] }>`
    select (${after}::date + 1)::timestamp at time zone ${zone} as from, (${last}::date + 1)::timestamp at time zone ${zone} as to,
           array(select day::date::text from generate_series(${after}::date + 1, ${last}::date, interval '1 day') as day) as days`.execute(
    ctx.tx,
  )
  const [row] = rows
  if (!row) throw new Error('a statement without a table gives one row')
  return { ...row, zone, after }
}

async function touchedTargets(ctx: Ctx, { from, to }: Window): Promise<string[]> {
  const { rows } = await sql<{ target_id: string }>`
    select target_id from issue_event
    where account_id = ${ctx.account} and at >= ${from} and at < ${to} and host_id is not null and target_id is not null
    union
    select target_id from issue_target
    where account_id = ${ctx.account} and issue_id in (
      select issue_id from issue_rating where account_id = ${ctx.account} and at >= ${from} and at < ${to})
    order by target_id`.execute(ctx.tx)
  return rows.map((row) => row.target_id)
}

async function lastCounts(
  ctx: Ctx,
  { after }: Window,
  scopes: readonly string[],
): Promise<ReadonlyMap<string, number[]>> {
  const { rows } = await sql<{ scope: string; counts: number[] }>`
    select scope, counts
    from unnest(${scopes}::uuid[]) as scope
    join lateral (
      select counts from stats_day
      where account_id = ${ctx.account} and target_id = scope and day <= ${after}::date
      order by day desc
      limit 1
    ) as last on true`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.scope, row.counts]))
}

/** The account as a whole has a row for every day, which is how we know what is closed. */
async function write(ctx: Ctx, window: Window, steps: readonly Step[]): Promise<void> {
  const scopes = [...new Set(steps.map((step) => step.scope))]
  const isAccount = scopes.every((scope) => scope === wholeAccount)
  const before = await lastCounts(ctx, window, isAccount ? [wholeAccount] : scopes)
  const rows = foldDays(window.days, steps, before, { isDense: isAccount, scope: wholeAccount })
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    await sql`
      insert into stats_day (account_id, target_id, day, closed_at, counts)
      select ${ctx.account}, scope, day, ${ctx.now}, counts
      from jsonb_to_recordset(${JSON.stringify(rows.slice(from, from + rowsAtOnce))}::jsonb)
        as closed (scope uuid, day date, counts integer[])
      on conflict do nothing`.execute(ctx.tx)
  }
}
