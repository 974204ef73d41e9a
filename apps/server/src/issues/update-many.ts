import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/triage'
import { recordAuditEvents } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { changeOwnership, type OwnedIssue, ownershipOf, ownershipPaths, requirePaths } from '#issues/assign.ts'
import {
  beforeMax,
  conflictOf,
  lockSelection,
  requireSelection,
  type SelectedIssue,
  skippedResult,
  unknownIssues,
} from '#issues/selection.ts'
import { sql } from 'kysely'

type Result = ResultOf<typeof contract.updateManyIssues>
type Path = (typeof ownershipPaths)[number]

/**
 * Changes assignee or due date of many issues in a fixed number of statements. Issues that don't exist or don't have the
 * expected values are skipped and reported; the others change atomically.
 *
 * @throws ApiError `invalid` for a field that can't be changed or a user outside the workspace, or unless exactly one of
 * IDs and filter is given
 */
export async function updateManyIssues(
  ctx: Ctx,
  { issue, updateMask, expectedIssue, ...selection }: ParsedInputOf<typeof contract.updateManyIssues>,
): Promise<Result> {
  requireSelection(selection)
  const named = requirePaths(updateMask.paths, ownershipPaths)
  const ownership = await ownershipOf(ctx, issue, named)
  const rows = await lockSelection<SelectedIssue & OwnedIssue>(ctx, selection, sql`issue.assignee_id, issue.due_at`)
  const expected = expectedIssue && keyOf(expectedIssue, named)
  const [asExpected = [], others = []] = [true, false].map((isExpected) =>
    rows.filter((row) => (expected === undefined || keyOf(valuesOf(row), named) === expected) === isExpected),
  )
  const changed = await changeOwnership(ctx, asExpected, ownership)
  const ids = changed.map(({ id }) => id)
  await recordAuditEvents(ctx, 'issue.update', 'issue', ids, issue)
  return {
    updatedCount: changed.length,
    ...skippedResult([...unknownIssues(selection, rows), ...others.map(conflictOf)]),
    ...(changed.length <= beforeMax && { before: previousValues(changed, named) }),
  }
}

type Values = ParsedInputOf<typeof contract.updateManyIssues>['issue']

function valuesOf({ assignee_id: assigneeId, due_at: due }: OwnedIssue): Values {
  return { assigneeId, dueTime: due?.toISOString() ?? null }
}

/** The named values; absent ones are null, as in an update. */
function pick({ assigneeId = null, dueTime = null }: Values, named: readonly Path[]): Values {
  return {
    ...(named.includes('assigneeId') && { assigneeId }),
    ...(named.includes('dueTime') && { dueTime: dueTime && new Date(dueTime).toISOString() }),
  }
}

function keyOf(values: Values, named: readonly Path[]): string {
  return JSON.stringify(pick(values, named))
}

/** Groups issues by their previous values of the named fields, as in a request that restores them. */
function previousValues(rows: readonly OwnedIssue[], named: readonly Path[]): NonNullable<Result['before']> {
  const groups = Map.groupBy(rows, (row) => keyOf(valuesOf(row), named))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? [{ issue: pick(valuesOf(first), named), ids: group.map(({ id }) => id) }] : []
  })
}
