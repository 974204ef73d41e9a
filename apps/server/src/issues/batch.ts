import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type { IgnoreReason, IssueStatus } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type * as contract from '@glacis/contract/triage'
import type { SkippedIssue } from '@glacis/contract/triage'
import { record } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { invalid } from '#errors.ts'
import { afterOthers } from '#issues/decide.ts'
import { type Decision, endOf, inWords, refuseSenseless, tooLong } from '#issues/decision.ts'
import { matching } from '#issues/filter.ts'
import { goneOf, goneWords } from '#issues/move.ts'
import { decideWhole, type Spreading } from '#issues/spread.ts'
import { canBecome } from '#issues/status.ts'
import { type RawBuilder, sql } from 'kysely'

type Input = ParsedInputOf<typeof contract.setStatusOfMany>
interface Row {
  readonly id: string
  readonly name: string
  readonly status: IssueStatus
  readonly category: SeverityCategory
  readonly host_count: number
  readonly at: Date
  readonly ignore_reason: IgnoreReason | ''
  readonly ignore_comment: string
  readonly ignore_until: Date | null
  /** Something became of it after the time up to which it was to be unchanged. */
  readonly has_changed: boolean
}

const skippedMax = 1000
const beforeMax = 10_000
/** google.rpc.Code */
const [invalidArgument, missing, aborted] = [3, 5, 10]

/**
 * Moves many issues in a fixed number of statements, however many there are. What cannot be moved is
 * left as it is and told; the rest is moved, all or nothing.
 *
 * @throws Refusal `invalid` for terms that make no sense, or when not exactly one of ids and filter is given
 */
export async function setStatusOfMany(
  ctx: Ctx,
  input: Input,
  spreading: Spreading | null = null,
): Promise<ResultOf<typeof contract.setStatusOfMany>> {
  const { ids, filter, unchangedSinceTime, ...decision } = input
  if ((ids === undefined) === (filter === undefined)) throw invalid('ids', 'Name the issues by ids or by a filter')
  refuseSenseless(decision, ctx.now)
  const rows = await locked(
    ctx,
    ids ? sql`issue.account_id = ${ctx.account} and issue.id = any(${ids}::uuid[])` : matching(ctx, filter ?? {}),
    unchangedSinceTime,
  )
  const gone = await goneOf(ctx, resolvedOf(rows, decision))
  const judged = rows.map((row) => ({ row, skipped: objection(ctx, row, decision, gone) }))
  const moved = judged.flatMap(({ row, skipped }) => (skipped ? [] : [row]))
  const skipped = [...unknown(ids ?? [], rows), ...judged.flatMap((one) => one.skipped ?? [])]
  const now = moved.reduce((last, { at }) => (at > last ? at : last), ctx.now)
  await apply({ ...ctx, now }, moved, decision, spreading)
  return {
    updatedCount: moved.length,
    skipped: skipped.slice(0, skippedMax),
    skippedCount: skipped.length,
    ...(moved.length <= beforeMax && { before: standingsOf(moved) }),
    ...(moved.length > 0 && { decideTime: now.toISOString() }),
  }
}

/** In one order, so that two batches cannot wait for each other. */
async function locked(ctx: Ctx, condition: RawBuilder<unknown>, since: string | undefined): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select issue.id, threat.name, issue.status, issue.category, issue.host_count, ${afterOthers(ctx)} as at,
           issue.ignore_reason, issue.ignore_comment, issue.ignore_until,
           ${since === undefined ? sql`false` : changedAfter(ctx, since)} as has_changed
    from issue
    join threat on threat.id = issue.threat_id
    where ${condition}
    order by issue.id
    for update of issue`.execute(ctx.tx)
  return rows
}

/** The history of the issue as a whole goes on after this moment; what was decided has an entry at its own. */
function changedAfter(ctx: Ctx, since: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from issue_event
    where issue_event.account_id = ${ctx.account} and issue_event.issue_id = issue.id
      and issue_event.host_id is null and issue_event.at > ${new Date(since)})`
}

/** Those that would no longer be resolved: what stands in deleted targets alone is among them. */
function resolvedOf(rows: readonly Row[], { status }: Decision): string[] {
  return rows.filter((row) => row.status === 'STATUS_RESOLVED' && status !== row.status).map((row) => row.id)
}

function objection(ctx: Ctx, row: Row, decision: Decision, gone: ReadonlySet<string>): SkippedIssue | null {
  const { id, name, status, category } = row
  if (row.has_changed) return { id, name, code: aborted, message: 'It has changed since then' }
  if (status === decision.status) return { id, name, code: aborted, message: `It is ${word(status)} already` }
  if (!canBecome(status, decision.status)) {
    return { id, name, code: aborted, message: `A risk that is ${word(status)} cannot become ${word(decision.status)}` }
  }
  if (gone.has(id)) return { id, name, code: aborted, message: goneWords }
  const message = tooLong(decision, category, ctx.now)
  return message === null ? null : { id, name, code: invalidArgument, message }
}

function word(status: IssueStatus): string {
  return status === 'STATUS_REGRESSION' ? 'a regression' : status.slice('STATUS_'.length).toLowerCase()
}

function unknown(ids: readonly string[], rows: readonly Row[]): SkippedIssue[] {
  const known = new Set(rows.map((row) => row.id))
  return ids
    .filter((id) => !known.has(id))
    .map((id) => ({ id, name: '', code: missing, message: `There is no issue ${id}` }))
}

async function apply(ctx: Ctx, rows: readonly Row[], decision: Decision, spreading: Spreading | null): Promise<void> {
  if (rows.length === 0) return
  const reason = inWords(decision)
  const ends = rows.map(({ id, category }) => ({ id, end: endOf(decision, category, ctx.now) }))
  const ids = rows.map((row) => row.id)
  const places = rows.reduce((sum, row) => sum + row.host_count, 0)
  await decideWhole(ctx, ends, decision, { places, spreading })
  const detail = { to: decision.status, reason, count: ids.length, ids: ids.slice(0, skippedMax) }
  await record(ctx, 'issue.batch', { kind: 'issue', id: ids[0] ?? '' }, detail)
}

/** Those that stood alike together, ignored ones with the terms that a person gave. */
function standingsOf(rows: readonly Row[]): NonNullable<ResultOf<typeof contract.setStatusOfMany>['before']> {
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
