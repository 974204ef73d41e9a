import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/issue'
import type { Issue } from '@glacis/contract/issue'
import { record } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { notFound, Refusal } from '#errors.ts'
import type { Targets } from '#inventory/index.ts'
import { getIssue } from '#issues/list.ts'
import { rollUp } from '#issues/roll-up.ts'
import { canBecome } from '#issues/status.ts'

/**
 * Moves an issue, on every host it affects, to the status a person chose and records the change in
 * `issue_event`, from which the charts are drawn. The status it has already changes nothing.
 *
 * @throws Refusal `not_found` when the account has no such issue; `invalid` for an end of the
 *   ignoring that is past or belongs to no ignoring
 */
export async function setIssueStatus(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.setIssueStatus>,
  targets: Targets,
): Promise<{ issue: Issue }> {
  const until = ignoreUntil(ctx, input)
  const issue = await ctx.tx
    .selectFrom('issue')
    .select('status')
    .where('account_id', '=', ctx.account)
    .where('id', '=', input.id)
    .forUpdate()
    .executeTakeFirst()
  if (!issue) throw notFound('issue', input.id)
  if (issue.status !== input.status) {
    if (!canBecome(issue.status, input.status)) {
      throw new Refusal('conflict', `An issue that is ${issue.status} cannot become ${input.status}`)
    }
    await ctx.tx
      .updateTable('occurrence')
      .set({
        status: input.status,
        decided_by: 'person',
        ignored_at: input.status === 'STATUS_IGNORED' ? ctx.now : null,
        ...(input.status !== 'STATUS_IGNORED' && { resolved_at: input.status === 'STATUS_RESOLVED' ? ctx.now : null }),
      })
      .where('account_id', '=', ctx.account)
      .where('issue_id', '=', input.id)
      .execute()
    await rollUp(ctx, [input.id], { reason: words(input), scanId: null })
    await record(
      ctx,
      'issue.status',
      { kind: 'issue', id: input.id },
      { from: issue.status, to: input.status, reason: words(input) },
    )
  }
  if (input.status === 'STATUS_IGNORED') {
    await ctx.tx
      .updateTable('issue')
      .set({ ignore_until: until })
      .where('account_id', '=', ctx.account)
      .where('id', '=', input.id)
      .execute()
  }
  return getIssue(ctx, { id: input.id }, targets)
}

function ignoreUntil(ctx: Ctx, input: { status: string; ignoreUntilTime?: string | undefined }): Date | null {
  if (!input.ignoreUntilTime) return null
  const until = new Date(input.ignoreUntilTime)
  const field = 'ignoreUntilTime'
  if (input.status !== 'STATUS_IGNORED' || until <= ctx.now) {
    const description = 'An end belongs to ignoring and lies in the future'
    throw new Refusal('invalid', description, { violations: [{ field, description }] })
  }
  return until
}

const reasons = {
  REASON_ACCEPTED_RISK: 'Accepted risk',
  REASON_FALSE_POSITIVE: 'False positive',
  REASON_MITIGATED: 'Mitigated elsewhere',
} as const

function words(input: { reason?: keyof typeof reasons | undefined; comment?: string | undefined }): string {
  return [input.reason && reasons[input.reason], input.comment].filter(Boolean).join(': ')
}

/** Reopens what was ignored until a date that has come. */
export async function reopenDue(ctx: Ctx): Promise<number> {
  const due = await ctx.tx
    .selectFrom('issue')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where('ignore_until', '<=', ctx.now)
    .forUpdate()
    .execute()
  const ids = due.map((row) => row.id)
  if (ids.length === 0) return 0
  await ctx.tx
    .updateTable('occurrence')
    .set({ status: 'STATUS_OPEN', ignored_at: null, decided_by: 'scan' })
    .where('account_id', '=', ctx.account)
    .where('issue_id', 'in', ids)
    .where('status', '=', 'STATUS_IGNORED')
    .execute()
  await rollUp(ctx, ids, { reason: 'The time for which it was ignored has ended', scanId: null })
  return ids.length
}

/** Resolves what stands on the hosts of a target that is being deleted; the history says why. */
export async function closeOfTarget(ctx: Ctx, targetId: string): Promise<void> {
  const rows = await ctx.tx
    .updateTable('occurrence')
    .set({ status: 'STATUS_RESOLVED', resolved_at: ctx.now, decided_by: 'scan' })
    .where('account_id', '=', ctx.account)
    .where('target_id', '=', targetId)
    .where('status', '!=', 'STATUS_RESOLVED')
    .returning('issue_id')
    .execute()
  await rollUp(
    ctx,
    rows.map((row) => row.issue_id),
    { reason: 'The target was deleted', scanId: null },
  )
}
