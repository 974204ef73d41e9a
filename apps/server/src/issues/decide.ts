import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/issue'
import type { Issue } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { invalid, notFound, ApiError } from '#errors.ts'
import type { Targets } from '#inventory/index.ts'
import {
  type Decision,
  ignoreEndOf,
  formatDecision,
  validateDecision,
  ignorePeriodError,
  statusLabel,
} from '#issues/decision.ts'
import { getIssue } from '#issues/list.ts'
import {
  type DecidedIssue,
  inDeletedTargetsOnly,
  deletedTargetsMessage,
  applyToOccurrences,
  decisionRows,
} from '#issues/apply-decision.ts'
import { recordNotes } from '#issues/history.ts'
import { rollUp } from '#issues/rollup.ts'
import { applyDecisions, decideOnIssues, type Background } from '#issues/pending-decisions.ts'
import { canTransition, worstOf } from '#issues/status.ts'
import { type RawBuilder, sql } from 'kysely'

/**
 * Changes the status of an issue on all affected hosts and records it in `issue_event`, the source
 * of all charts. Of two concurrent changes the later one wins, and the history shows both. Setting
 * the current status again has no effect, except that new ignore terms are recorded.
 *
 * @throws ApiError `not_found` if the workspace has no such issue; `invalid` for inconsistent terms;
 * `conflict` for a transition that users can't make
 */
export async function setIssueStatus(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.setIssueStatus>,
  targets: Targets,
  background: Background | null = null,
): Promise<{ issue: Issue }> {
  const { id, ...decision } = input
  const issue = await ctx.tx
    .selectFrom('issue')
    .select(['status', 'category', 'host_count', decisionTime(ctx).as('at')])
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!issue) throw notFound('issue', id)
  return decide({ ...ctx, now: issue.at }, { id, hostIds: null, ...issue }, decision, { targets, background })
}

/**
 * Changes the status on one host and the hosts merged into it. The issue then takes the worst
 * status of its hosts.
 *
 * @throws ApiError as `setIssueStatus`; also `not_found` if the issue doesn't affect the host
 */
export async function setHostStatus(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.setHostStatus>,
  targets: Targets,
): Promise<{ issue: Issue }> {
  const { id, hostId, ...decision } = input
  await sql`select from issue where account_id = ${ctx.workspace} and id = ${id} for update`.execute(ctx.tx)
  await applyDecisions(ctx, [id])
  const { rows } = await sql<{ category: SeverityCategory; status: Issue['status']; host_id: string; at: Date }>`
    select issue.category, occurrence.status, occurrence.host_id, ${decisionTime(ctx)} as at
    from issue
    join occurrence on occurrence.account_id = issue.account_id and occurrence.issue_id = issue.id
    join host on host.account_id = issue.account_id and host.id = occurrence.host_id
    where issue.account_id = ${ctx.workspace} and issue.id = ${id} and ${hostId}::uuid in (host.id, host.merged_into)`.execute(
    ctx.tx,
  )
  const [first] = rows
  if (!first) throw notFound('host of this issue', hostId)
  const status = worstOf(rows.map((row) => row.status))
  const hostIds = [...new Set([hostId, ...rows.map((row) => row.host_id)])]
  return decide({ ...ctx, now: first.at }, { id, hostIds, status, category: first.category }, decision, { targets })
}

/**
 * The time of a decision on an `issue` row that is being locked: always after the previous change,
 * even if this request started earlier.
 */
export function decisionTime(ctx: Ctx): RawBuilder<Date> {
  return sql<Date>`greatest(${ctx.now}::timestamptz, issue.updated_at + interval '1 millisecond')`
}

interface Subject {
  readonly id: string
  /** Null for all hosts. The first one is the requested host. */
  readonly hostIds: readonly string[] | null
  readonly status: Issue['status']
  readonly category: SeverityCategory
  /** Defaults to one. */
  readonly host_count?: number
}

/** Applies the decision and returns the updated issue. */
async function decide(
  ctx: Ctx,
  subject: Subject,
  decision: Decision,
  { targets, background = null }: { readonly targets: Targets; readonly background?: Background | null },
): Promise<{ issue: Issue }> {
  const change = await apply(ctx, subject, decision, background)
  // Audit record and response are independent.
  const [response] = await Promise.all([
    getIssue(ctx, { id: subject.id }, targets),
    change && recordAuditEvent(ctx, 'issue.status', { kind: 'issue', id: subject.id }, change),
  ])
  return response
}

/** Returns what changed, for the audit log; null if nothing changed. */
async function apply(
  ctx: Ctx,
  subject: Subject,
  decision: Decision,
  background: Background | null,
): Promise<object | null> {
  const { id, hostIds, status: from, category, host_count: occurrences = 1 } = subject
  validateDecision(decision, ctx.now)
  const objection = ignorePeriodError(decision, category, ctx.now)
  if (objection) throw invalid('ignoreUntilTime', objection)
  const isSame = from === decision.status
  const hasTerms = decision.reason !== undefined || decision.ignoreUntilTime !== undefined
  if (isSame && !(decision.status === 'STATUS_IGNORED' && hasTerms)) return null
  if (!isSame && !canTransition(from, decision.status)) {
    throw new ApiError(
      'conflict',
      `Can't change the status from ${statusLabel(from)} to ${statusLabel(decision.status)}`,
    )
  }
  if (from === 'STATUS_RESOLVED' && !isSame && (await inDeletedTargetsOnly(ctx, [id], hostIds)).has(id))
    throw new ApiError('conflict', deletedTargetsMessage)
  const reason = formatDecision(decision)
  const decided = [{ id, end: ignoreEndOf(decision, category, ctx.now) }]
  const hasChanged =
    hostIds === null
      ? await decideOnIssues(ctx, decided, decision, { occurrences, background })
      : await decideOnHosts(ctx, decided, decision, hostIds)
  if (!hasChanged) return null
  if (isSame)
    await Promise.all((hostIds ?? [null]).map(async (hostId) => recordNotes(ctx, { ids: [id], hostId }, reason)))
  return { from, to: decision.status, reason, ...(hostIds && { hostId: hostIds[0] }) }
}

async function decideOnHosts(
  ctx: Ctx,
  decided: readonly DecidedIssue[],
  decision: Decision,
  hostIds: readonly string[],
): Promise<boolean> {
  const ids = decided.map(({ id }) => id)
  const changed = await applyToOccurrences(
    ctx,
    decisionRows(ctx, decided, decision),
    sql`occurrence.host_id = any(${hostIds}::uuid[])`,
  )
  if (changed === 0) return false
  await rollUp(ctx, ids, { reason: formatDecision(decision), scanId: null }, hostIds)
  return true
}
