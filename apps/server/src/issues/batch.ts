import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type { IgnoreReason, IssueStatus } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type * as contract from '@glacis/contract/triage'
import type { SkippedIssue } from '@glacis/contract/triage'
import { recordAuditEvent } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import {
  type Decision,
  ignoreEndOf,
  formatDecision,
  validateDecision,
  ignorePeriodError,
  statusLabel,
} from '#issues/decision.ts'
import { inDeletedTargetsOnly, deletedTargetsMessage } from '#issues/apply-decision.ts'
import { decideOnIssues, type Background } from '#issues/pending-decisions.ts'
import {
  aborted,
  beforeMax,
  conflictOf,
  invalidArgument,
  lockSelection,
  requireSelection,
  type SelectedIssue,
  skippedMax,
  skippedResult,
  timeOf,
  unknownIssues,
} from '#issues/selection.ts'
import { canTransition } from '#issues/status.ts'
import { sql } from 'kysely'

type Input = ParsedInputOf<typeof contract.setStatusOfMany>
interface Row extends SelectedIssue {
  readonly status: IssueStatus
  readonly category: SeverityCategory
  readonly host_count: number
  readonly ignore_reason: IgnoreReason | ''
  readonly ignore_comment: string
  readonly ignore_until: Date | null
}

/**
 * Changes the status of many issues in a fixed number of statements. Issues that can't be changed
 * are skipped and reported; the others change atomically.
 *
 * @throws ApiError `invalid` for inconsistent terms, or unless exactly one of IDs and filter is
 * given
 */
export async function setStatusOfMany(
  ctx: Ctx,
  input: Input,
  background: Background | null = null,
): Promise<ResultOf<typeof contract.setStatusOfMany>> {
  const { ids, filter, unchangedSinceTime, ...decision } = input
  const selection = { ids, filter, unchangedSinceTime }
  requireSelection(selection)
  validateDecision(decision, ctx.now)
  const rows = await lockSelection<Row>(
    ctx,
    selection,
    sql`issue.status, issue.category, issue.host_count, issue.ignore_reason, issue.ignore_comment, issue.ignore_until`,
  )
  const inDeletedTargets = await inDeletedTargetsOnly(ctx, resolvedOf(rows, decision))
  const judged = rows.map((row) => ({ row, skipped: transitionError(ctx, row, decision, inDeletedTargets) }))
  const moved = judged.flatMap(({ row, skipped }) => (skipped ? [] : [row]))
  const skipped = [...unknownIssues(selection, rows), ...judged.flatMap((item) => item.skipped ?? [])]
  const now = timeOf(ctx, moved)
  await apply({ ...ctx, now }, moved, decision, background)
  return {
    updatedCount: moved.length,
    ...skippedResult(skipped),
    ...(moved.length <= beforeMax && { before: previousStates(moved) }),
    ...(moved.length > 0 && { decideTime: now.toISOString() }),
  }
}

/** Issues that would be reopened or ignored. Those only in deleted targets must stay resolved. */
function resolvedOf(rows: readonly Row[], { status }: Decision): string[] {
  return rows.filter((row) => row.status === 'STATUS_RESOLVED' && status !== row.status).map((row) => row.id)
}

function transitionError(
  ctx: Ctx,
  row: Row,
  decision: Decision,
  inDeletedTargets: ReadonlySet<string>,
): SkippedIssue | null {
  const { id, name, status, category } = row
  if (row.has_changed) return conflictOf(row)
  if (status === decision.status) return { id, name, code: aborted, message: `Already ${statusLabel(status)}` }
  if (!canTransition(status, decision.status)) {
    return {
      id,
      name,
      code: aborted,
      message: `Can't change the status from ${statusLabel(status)} to ${statusLabel(decision.status)}`,
    }
  }
  if (inDeletedTargets.has(id)) return { id, name, code: aborted, message: deletedTargetsMessage }
  const message = ignorePeriodError(decision, category, ctx.now)
  return message === null ? null : { id, name, code: invalidArgument, message }
}

async function apply(ctx: Ctx, rows: readonly Row[], decision: Decision, background: Background | null): Promise<void> {
  if (rows.length === 0) return
  const reason = formatDecision(decision)
  const ends = rows.map(({ id, category }) => ({ id, end: ignoreEndOf(decision, category, ctx.now) }))
  const ids = rows.map((row) => row.id)
  const occurrences = rows.reduce((sum, row) => sum + row.host_count, 0)
  await decideOnIssues(ctx, ends, decision, { occurrences, background })
  const detail = { to: decision.status, reason, count: ids.length, ids: ids.slice(0, skippedMax) }
  await recordAuditEvent(ctx, 'issue.batch', { kind: 'issue', id: ids[0] ?? '' }, detail)
}

/**
 * Groups issues by previous status; ignored issues also by their terms, so that the change can be
 * undone.
 */
function previousStates(rows: readonly Row[]): NonNullable<ResultOf<typeof contract.setStatusOfMany>['before']> {
  const groups = Map.groupBy(rows, (row) => JSON.stringify([row.status, ...Object.values(termsOf(row))]))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? [{ status: first.status, ...termsOf(first), ids: group.map((row) => row.id) }] : []
  })
}

function termsOf({ status, ignore_reason: reason, ignore_comment: comment, ignore_until: until }: Row) {
  if (status !== 'STATUS_IGNORED' || !reason) return {}
  return { reason, ...(comment && { comment }), ...(until && { ignoreUntilTime: until.toISOString() }) }
}
