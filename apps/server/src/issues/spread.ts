/**
 * Decisions about more places than anybody would wait for. They hold for the issue at once, with its history and its
 * announcements; its hosts, and what is counted of them, follow in the background, some thousand places at a time.
 * Until then `issue_decision` says what is on its way: roll-ups and descriptions of the issue go by it.
 */
import { type Ctx, type Log, systemActor } from '#ctx.ts'
import { type Database, inAccount } from '#database/index.ts'
import type { IssueDecisionTable } from '#database/tables.ts'
import type { Jobs } from '#jobs.ts'
import { type Decision, inWords } from '#issues/decision.ts'
import { stoodOn } from '#issues/host-counts.ts'
import { type Decided, move, rowsOf } from '#issues/move.ts'
import { noteIssues } from '#issues/note.ts'
import { rollUp, turnedTimes } from '#issues/roll-up.ts'
import { announce } from '#notifications/index.ts'
import { type RawBuilder, sql } from 'kysely'

/** Who spreads decisions, and from how many places on. */
export interface Spreading {
  readonly jobs: Pick<Jobs, 'enqueue'>
  readonly placesMax?: number
}

/** Decided at once takes less than 0.1 ms for each place. */
const placesAtOnce = 5000

/**
 * Writes a decision to issues as wholes, which the caller has locked, and answers whether it changed anything: to all of
 * their places at once, or, where those are too many, to the issues, and the background brings it to the places.
 *
 * @param places how many there are
 * @param spreading null: at once, however many
 */
export async function decideWhole(
  ctx: Ctx,
  issues: readonly Decided[],
  decision: Decision,
  { places, spreading }: { readonly places: number; readonly spreading: Spreading | null },
): Promise<boolean> {
  const ids = issues.map(({ id }) => id)
  const decided = rowsOf(ctx, issues, decision)
  const reason = inWords(decision)
  if (spreading && places > (spreading.placesMax ?? placesAtOnce)) {
    await postpone(ctx, ids, decided, reason)
    await spreading.jobs.enqueue(ctx.tx, 'decisions', { account: ctx.account })
    return true
  }
  const [isNewer, stood, changed] = await Promise.all([
    overrule(ctx, ids),
    stoodOn(ctx, ids),
    move(ctx, decided, sql`true`),
  ])
  if (changed === 0 && !isNewer) return false
  await rollUp(ctx, ids, { reason, scanId: null }, { stood })
  return true
}

async function postpone(ctx: Ctx, ids: readonly string[], decided: RawBuilder<unknown>, reason: string): Promise<void> {
  await sql`
    insert into issue_decision (account_id, issue_id, status, ignore_until, ignore_reason, ignore_comment, actor, at, reason)
    select ${ctx.account}, decided.*, ${reason} from (${decided}) as decided
    on conflict (account_id, issue_id) do update set
      status = excluded.status, ignore_until = excluded.ignore_until, ignore_reason = excluded.ignore_reason,
      ignore_comment = excluded.ignore_comment, actor = excluded.actor, at = excluded.at, reason = excluded.reason`.execute(
    ctx.tx,
  )
  await sql`
    update issue set
      status = next.status, ${turnedTimes(ctx)},
      ignore_until = next.ignore_until, ignore_reason = next.ignore_reason, ignore_comment = next.ignore_comment,
      ignored_by = case when next.status = 'STATUS_IGNORED' then next.actor else '' end
    from issue_decision as next
    where issue.account_id = ${ctx.account} and issue.id = any(${ids}::uuid[])
      and next.account_id = issue.account_id and next.issue_id = issue.id`.execute(ctx.tx)
  await noteIssues(ctx, ids, { reason, scanId: null })
}

/** Takes back what is on its way to the places of these issues, because something newer holds for all of them. */
async function overrule(ctx: Ctx, ids: readonly string[]): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from issue_decision
    where account_id = ${ctx.account} and issue_id = any(${ids}::uuid[])`.execute(ctx.tx)
  return numAffectedRows > 0n
}

/** What one person decided at one time. */
type Group = Pick<IssueDecisionTable, 'actor' | 'at' | 'reason'> & { readonly ids: string[] }

/**
 * Brings what was decided about these issues to all of their places. What was first seen or resolved after the
 * decision stays as it is. The issues must be locked by the caller.
 */
export async function carryOut(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const pending = sql`account_id = ${ctx.account} and issue_id = any(${ids}::uuid[])`
  const { rows: groups } = await sql<Group>`
    select actor, at, reason, array_agg(issue_id order by issue_id) as ids from issue_decision
    where ${pending}
    group by actor, at, reason`.execute(ctx.tx)
  if (groups.length === 0) return
  const [stood] = await Promise.all([
    stoodOn(ctx, ids),
    move(
      ctx,
      sql`select issue_id, status, ignore_until, ignore_reason, ignore_comment, actor, at from issue_decision where ${pending}`,
      sql`occurrence.first_seen_at <= decided.at and coalesce(occurrence.resolved_at <= decided.at, true)`,
    ),
    overrule(ctx, ids),
  ])
  for (const { actor, at, reason, ids: decided } of groups) {
    // Written to the history under the name of whoever decided.
    const by = { ...ctx, actor: { ...ctx.actor, name: actor }, now: at > ctx.now ? at : ctx.now }
    await rollUp(by, decided, { reason, scanId: null }, { stood })
  }
}

/** Places that one transaction brings a decision to, and issues. */
const [placesTogether, issuesTogether] = [10_000, 500]

/**
 * Spreads what is on its way in an account, one transaction after the other, until nothing is left. Open pages are told
 * once it is done: until then they show some hosts as they were.
 */
export async function spreadDecisions(
  { database, log }: { readonly database: Database; readonly log: Log },
  account: string,
  signal: AbortSignal,
): Promise<void> {
  const as = { account, actor: systemActor, log }
  while (!signal.aborted && (await inAccount(database, as, spreadSome))) continue
}

/** Answers whether something was on its way. */
async function spreadSome(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql<{ id: string; host_count: number; title: string }>`
    select issue.id, issue.host_count, threat.name as title
    from issue
    join issue_decision as decided on decided.account_id = issue.account_id and decided.issue_id = issue.id
    join threat on threat.id = issue.threat_id
    where issue.account_id = ${ctx.account}
    order by issue.id
    limit ${issuesTogether}
    for update of issue`.execute(ctx.tx)
  let places = 0
  const some = rows.filter(({ host_count }, index) => (places += host_count) <= placesTogether || index === 0)
  const [first] = some
  if (!first) return false
  await carryOut(
    ctx,
    some.map((row) => row.id),
  )
  await announce(ctx, [{ kind: 'EVENT_ISSUE_CHANGED', title: first.title, resource: { kind: 'issue', id: first.id } }])
  return true
}

/** Accounts in which something has been on its way for a while: whoever was to spread it has died. */
export async function accountsWaiting({ owner }: Database): Promise<string[]> {
  const rows = await owner
    .selectFrom('issue_decision')
    .select('account_id')
    .distinct()
    .where('at', '<', new Date(Date.now() - waitingMs))
    .execute()
  return rows.map((row) => row.account_id)
}

const waitingMs = 60_000
