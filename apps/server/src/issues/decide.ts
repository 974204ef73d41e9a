import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/issue'
import type { Issue } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import { record } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { keepPlans } from '#database/plans.ts'
import { invalid, notFound, Refusal } from '#errors.ts'
import type { Targets } from '#inventory/index.ts'
import { type Decision, endOf, inWords, refuseSenseless, tooLong } from '#issues/decision.ts'
import { stoodOn } from '#issues/host-counts.ts'
import { getIssue } from '#issues/list.ts'
import { type Decided, goneOf, goneWords, move, rowsOf } from '#issues/move.ts'
import { noteTerms } from '#issues/note.ts'
import { rollUp } from '#issues/roll-up.ts'
import { carryOut, decideWhole, type Spreading } from '#issues/spread.ts'
import { canBecome, worstOf } from '#issues/status.ts'
import { type RawBuilder, sql } from 'kysely'

/**
 * Moves an issue, on every host it affects, to the status a person chose and records the change in
 * `issue_event`, from which the charts are drawn. Of two people who decide at the same time the
 * later one holds, and the history tells of both. The status it has already changes nothing;
 * other terms of an ignoring do, and are told.
 *
 * @throws Refusal `not_found` when the account has no such issue; `invalid` for terms that make no
 *   sense; `conflict` where no person may move it so
 */
export async function setIssueStatus(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.setIssueStatus>,
  targets: Targets,
  spreading: Spreading | null = null,
): Promise<{ issue: Issue }> {
  const { id, ...decision } = input
  const [, issue] = await Promise.all([
    keepPlans(ctx),
    ctx.tx
      .selectFrom('issue')
      .select(['status', 'category', 'host_count', afterOthers(ctx).as('at')])
      .where('account_id', '=', ctx.account)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst(),
  ])
  if (!issue) throw notFound('issue', id)
  return decide({ ...ctx, now: issue.at }, { id, hostIds: null, ...issue }, decision, { targets, spreading })
}

/**
 * The same on one of its hosts, with those that were merged into it; the issue then stands where the worst of its hosts
 * stands.
 *
 * @throws Refusal as `setIssueStatus`; `not_found` also where the issue does not affect the host
 */
export async function setHostStatus(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.setHostStatus>,
  targets: Targets,
): Promise<{ issue: Issue }> {
  const { id, hostId, ...decision } = input
  const lock = sql`select from issue where account_id = ${ctx.account} and id = ${id} for update`
  await Promise.all([keepPlans(ctx), lock.execute(ctx.tx), carryOut(ctx, [id])])
  const { rows } = await sql<{ category: SeverityCategory; status: Issue['status']; host_id: string; at: Date }>`
    select issue.category, occurrence.status, occurrence.host_id, ${afterOthers(ctx)} as at
    from issue
    join occurrence on occurrence.account_id = issue.account_id and occurrence.issue_id = issue.id
    join host on host.account_id = issue.account_id and host.id = occurrence.host_id
    where issue.account_id = ${ctx.account} and issue.id = ${id} and ${hostId}::uuid in (host.id, host.merged_into)`.execute(
    ctx.tx,
  )
  const [first] = rows
  if (!first) throw notFound('host of this issue', hostId)
  const status = worstOf(rows.map((row) => row.status))
  const hostIds = [...new Set([hostId, ...rows.map((row) => row.host_id)])]
  return decide({ ...ctx, now: first.at }, { id, hostIds, status, category: first.category }, decision, { targets })
}

/**
 * When a decision on a row `issue` is made that is being locked: whoever had to wait for another decides after it,
 * however early they began.
 */
export function afterOthers(ctx: Ctx): RawBuilder<Date> {
  return sql<Date>`greatest(${ctx.now}::timestamptz, issue.updated_at + interval '1 millisecond')`
}

interface Subject {
  readonly id: string
  /** Null: all of them. The first is the one that was asked for. */
  readonly hostIds: readonly string[] | null
  readonly status: Issue['status']
  readonly category: SeverityCategory
  /** Absent: one. */
  readonly host_count?: number
}

/** Decides, and answers the issue as it is then. */
async function decide(
  ctx: Ctx,
  subject: Subject,
  decision: Decision,
  { targets, spreading = null }: { readonly targets: Targets; readonly spreading?: Spreading | null },
): Promise<{ issue: Issue }> {
  const change = await apply(ctx, subject, decision, spreading)
  // The trail and the answer need not wait for each other.
  const [answer] = await Promise.all([
    getIssue(ctx, { id: subject.id }, targets),
    change && record(ctx, 'issue.status', { kind: 'issue', id: subject.id }, change),
  ])
  return answer
}

/** What has changed, for the trail; null where nothing has. */
async function apply(
  ctx: Ctx,
  subject: Subject,
  decision: Decision,
  spreading: Spreading | null,
): Promise<object | null> {
  const { id, hostIds, status: from, category, host_count: places = 1 } = subject
  refuseSenseless(decision, ctx.now)
  const objection = tooLong(decision, category, ctx.now)
  if (objection) throw invalid('ignoreUntilTime', objection)
  const isSame = from === decision.status
  const hasTerms = decision.reason !== undefined || decision.ignoreUntilTime !== undefined
  if (isSame && !(decision.status === 'STATUS_IGNORED' && hasTerms)) return null
  if (!isSame && !canBecome(from, decision.status)) {
    throw new Refusal('conflict', `An issue that is ${from} cannot become ${decision.status}`)
  }
  if (from === 'STATUS_RESOLVED' && !isSame && (await goneOf(ctx, [id], hostIds)).has(id))
    throw new Refusal('conflict', goneWords)
  const reason = inWords(decision)
  const decided = [{ id, end: endOf(decision, category, ctx.now) }]
  const hasChanged =
    hostIds === null
      ? await decideWhole(ctx, decided, decision, { places, spreading })
      : await decideOnHosts(ctx, decided, decision, hostIds)
  if (!hasChanged) return null
  if (isSame) await Promise.all((hostIds ?? [null]).map(async (hostId) => noteTerms(ctx, { id, hostId }, reason)))
  return { from, to: decision.status, reason, ...(hostIds && { hostId: hostIds[0] }) }
}

async function decideOnHosts(
  ctx: Ctx,
  decided: readonly Decided[],
  decision: Decision,
  hostIds: readonly string[],
): Promise<boolean> {
  const ids = decided.map(({ id }) => id)
  const [stood, changed] = await Promise.all([
    stoodOn(ctx, ids),
    move(ctx, rowsOf(ctx, decided, decision), sql`occurrence.host_id = any(${hostIds}::uuid[])`),
  ])
  if (changed === 0) return false
  await rollUp(ctx, ids, { reason: inWords(decision), scanId: null }, { stood })
  return true
}
