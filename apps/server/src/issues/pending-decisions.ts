/**
 * Decisions on more occurrences than a request can wait for. They apply to the issue immediately, with history and
 * notifications; its occurrences follow in the background. Until then, `issue_decision` contains the decision, and
 * rollups and descriptions of the issue use it.
 */
import { type Ctx, type Log, systemActor } from '#ctx.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import type { IssueDecisionTable } from '#database/tables.ts'
import type { Jobs } from '#jobs.ts'
import { type Decision, formatDecision } from '#issues/decision.ts'
import { type DecidedIssue, applyToOccurrences, decisionRows } from '#issues/apply-decision.ts'
import { recordIssueHistory } from '#issues/history.ts'
import { rollUp, transitionTimes } from '#issues/rollup.ts'
import { announce } from '#notifications/index.ts'
import { type RawBuilder, sql } from 'kysely'

/** Where large decisions are queued, and the minimum number of occurrences for that. */
export interface Background {
  readonly jobs: Pick<Jobs, 'enqueue'>
  readonly occurrencesMax?: number
}

const immediateOccurrencesMax = 5000

/**
 * Applies a decision to issues that the caller has locked: to all of their occurrences, or, if there are too many, to
 * the issues now and to the occurrences in the background.
 *
 * @param background null to apply it immediately in any case
 * @returns whether anything changed
 */
export async function decideOnIssues(
  ctx: Ctx,
  issues: readonly DecidedIssue[],
  decision: Decision,
  {
    occurrences: occurrenceCount,
    background,
  }: { readonly occurrences: number; readonly background: Background | null },
): Promise<boolean> {
  const ids = issues.map(({ id }) => id)
  const decided = decisionRows(ctx, issues, decision)
  const reason = formatDecision(decision)
  if (background && occurrenceCount > (background.occurrencesMax ?? immediateOccurrencesMax)) {
    await queueDecision(ctx, ids, decided, reason)
    await background.jobs.enqueue(ctx.tx, 'decisions', { account: ctx.workspace })
    return true
  }
  const isNewer = await discardPending(ctx, ids)
  const changed = await applyToOccurrences(ctx, decided, sql`true`)
  if (changed === 0 && !isNewer) return false
  await rollUp(ctx, ids, { reason, scanId: null })
  return true
}

async function queueDecision(
  ctx: Ctx,
  ids: readonly string[],
  decided: RawBuilder<unknown>,
  reason: string,
): Promise<void> {
  await sql`
    insert into issue_decision (account_id, issue_id, status, ignore_until, ignore_reason, ignore_comment, actor, at, reason)
    select ${ctx.workspace}, decided.*, ${reason} from (${decided}) as decided
    on conflict (account_id, issue_id) do update set
      status = excluded.status, ignore_until = excluded.ignore_until, ignore_reason = excluded.ignore_reason,
      ignore_comment = excluded.ignore_comment, actor = excluded.actor, at = excluded.at, reason = excluded.reason`.execute(
    ctx.tx,
  )
  await sql`
    update issue set
      status = next.status, ${transitionTimes(ctx)},
      ignore_until = next.ignore_until, ignore_reason = next.ignore_reason, ignore_comment = next.ignore_comment,
      ignored_by = case when next.status = 'STATUS_IGNORED' then next.actor else '' end
    from issue_decision as next
    where issue.account_id = ${ctx.workspace} and issue.id = any(${ids}::uuid[])
      and next.account_id = issue.account_id and next.issue_id = issue.id`.execute(ctx.tx)
  await recordIssueHistory(ctx, ids, { reason, scanId: null })
}

/** Deletes the pending decisions on these issues, because a newer one replaces them or they were applied. */
async function discardPending(ctx: Ctx, ids: readonly string[]): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from issue_decision
    where account_id = ${ctx.workspace} and issue_id = any(${ids}::uuid[])`.execute(ctx.tx)
  return numAffectedRows > 0n
}

/** Decisions of one user at one time. */
type Group = Pick<IssueDecisionTable, 'actor' | 'at' | 'reason'> & { readonly ids: string[] }

/**
 * Applies the pending decisions on these issues, which the caller has locked. Occurrences that were first seen or
 * resolved after the decision are unchanged.
 */
export async function applyDecisions(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const pending = sql`account_id = ${ctx.workspace} and issue_id = any(${ids}::uuid[])`
  const { rows: groups } = await sql<Group>`
    select actor, at, reason, array_agg(issue_id order by issue_id) as ids from issue_decision
    where ${pending}
    group by actor, at, reason`.execute(ctx.tx)
  if (groups.length === 0) return
  await applyToOccurrences(
    ctx,
    sql`select issue_id, status, ignore_until, ignore_reason, ignore_comment, actor, at from issue_decision where ${pending}`,
    sql`occurrence.first_seen_at <= decided.at and coalesce(occurrence.resolved_at <= decided.at, true)`,
  )
  await discardPending(ctx, ids)
  for (const { actor, at, reason, ids: decided } of groups) {
    // The history shows the person who decided.
    const by = { ...ctx, actor: { ...ctx.actor, name: actor }, now: at > ctx.now ? at : ctx.now }
    await rollUp(by, decided, { reason, scanId: null })
  }
}

/** Maximum number of occurrences and issues per transaction. */
const [occurrencesPerTransaction, issuesPerTransaction] = [10_000, 500]

/** Applies all pending decisions of a workspace in consecutive transactions and notifies open pages after each. */
export async function applyPendingDecisions(
  { database, log }: { readonly database: Database; readonly log: Log },
  workspace: string,
  signal: AbortSignal,
): Promise<void> {
  const as = { workspace, actor: systemActor, log }
  while (!signal.aborted && (await inWorkspace(database, as, applyBatch))) continue
}

/** @returns whether a decision was pending */
async function applyBatch(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql<{ id: string; host_count: number; title: string }>`
    select issue.id, issue.host_count, threat.name as title
    from issue
    join issue_decision as decided on decided.account_id = issue.account_id and decided.issue_id = issue.id
    join threat on threat.id = issue.threat_id
    where issue.account_id = ${ctx.workspace}
    order by issue.id
    limit ${issuesPerTransaction}
    for update of issue`.execute(ctx.tx)
  let occurrences = 0
  const some = rows.filter(
    ({ host_count }, index) => (occurrences += host_count) <= occurrencesPerTransaction || index === 0,
  )
  const [first] = some
  if (!first) return false
  await applyDecisions(
    ctx,
    some.map((row) => row.id),
  )
  await announce(ctx, [{ kind: 'EVENT_ISSUE_CHANGED', title: first.title, resource: { kind: 'issue', id: first.id } }])
  return true
}

/** Workspaces with decisions that have been pending for a while, because the process that should apply them died. */
export async function workspacesWithPendingDecisions({ owner }: Database): Promise<string[]> {
  const rows = await owner
    .selectFrom('issue_decision')
    .select('account_id')
    .distinct()
    .where('at', '<', new Date(Date.now() - pendingMs))
    .execute()
  return rows.map((row) => row.account_id)
}

const pendingMs = 60_000
