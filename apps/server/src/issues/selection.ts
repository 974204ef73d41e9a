/** The issues of a bulk change: selected by ID or filter, locked, and skipped if the change doesn't apply to them. */
import type { IssueFilter } from '@glacis/contract/issue'
import type { SkippedIssue } from '@glacis/contract/triage'
import type { Ctx } from '#ctx.ts'
import { invalid } from '#errors.ts'
import { decisionTime } from '#issues/decide.ts'
import { matching } from '#issues/filter.ts'
import { type RawBuilder, sql } from 'kysely'

export interface Selection {
  readonly ids?: readonly string[] | undefined
  readonly filter?: IssueFilter | undefined
  readonly unchangedSinceTime?: string | undefined
}

export interface SelectedIssue {
  readonly id: string
  readonly name: string
  /** When a change of the issue takes place; see `decisionTime`. */
  readonly at: Date
  /** The issue changed after the time the client last saw it. */
  readonly has_changed: boolean
}

/** Maximum number of skipped issues in a response. */
export const skippedMax = 1000
/** Maximum number of changed issues whose previous state is in the response. */
export const beforeMax = 10_000
/** google.rpc.Code */
export const [invalidArgument, missing, aborted] = [3, 5, 10]

/** @throws ApiError `invalid` unless exactly one of IDs and filter is given */
export function requireSelection({ ids, filter }: Selection): void {
  if ((ids === undefined) === (filter === undefined))
    throw invalid('ids', 'Specify the issues by ids or by filter, not both')
}

/**
 * Locks the issues in a fixed order to prevent deadlocks between batches.
 *
 * @param columns the columns of `issue` that the rows have besides those of `SelectedIssue`
 */
export async function lockSelection<Row extends SelectedIssue>(
  ctx: Ctx,
  { ids, filter, unchangedSinceTime: since }: Selection,
  columns: RawBuilder<unknown>,
): Promise<Row[]> {
  const condition = ids
    ? sql`issue.account_id = ${ctx.workspace} and issue.id = any(${ids}::uuid[])`
    : matching(ctx, filter ?? {})
  const { rows } = await sql<Row>`
    select issue.id, threat.name, ${decisionTime(ctx)} as at,
           ${since === undefined ? sql`false` : changedAfter(ctx, since)} as has_changed, ${columns}
    from issue
    join threat on threat.id = issue.threat_id
    where ${condition}
    order by issue.id
    for update of issue`.execute(ctx.tx)
  return rows
}

/**
 * The issue-level history has an entry after this time. The entry of the change that returned the time has exactly
 * this time.
 */
function changedAfter(ctx: Ctx, since: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from issue_event
    where issue_event.account_id = ${ctx.workspace} and issue_event.issue_id = issue.id
      and issue_event.host_id is null and issue_event.at > ${new Date(since)})`
}

/** When a change of all these issues takes place: after all previous ones. */
export function timeOf(ctx: Ctx, issues: readonly { readonly at: Date }[]): Date {
  return issues.reduce((last, { at }) => (at > last ? at : last), ctx.now)
}

/** Why an issue is skipped that changed after the time the client last saw it. */
export function conflictOf({ id, name }: SelectedIssue): SkippedIssue {
  return { id, name, code: aborted, message: 'Changed in the meantime' }
}

/** The selected IDs that no issue of the workspace has. */
export function unknownIssues({ ids = [] }: Selection, rows: readonly SelectedIssue[]): SkippedIssue[] {
  const known = new Set(rows.map((row) => row.id))
  return ids
    .filter((id) => !known.has(id))
    .map((id) => ({ id, name: '', code: missing, message: `No issue has the ID ${id}` }))
}

export function skippedResult(skipped: readonly SkippedIssue[]): { skipped: SkippedIssue[]; skippedCount: number } {
  return { skipped: skipped.slice(0, skippedMax), skippedCount: skipped.length }
}
