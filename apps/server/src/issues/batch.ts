import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type { IssueStatus } from '@glacis/contract/issue'
import type { SeverityCategory } from '@glacis/contract/threat'
import type * as contract from '@glacis/contract/triage'
import type { SkippedIssue } from '@glacis/contract/triage'
import { record } from '#audit.ts'
import type { Ctx } from '#ctx.ts'
import { invalid } from '#errors.ts'
import { afterOthers } from '#issues/decide.ts'
import { type Decision, endOf, inWords, refuseSenseless, tooLong } from '#issues/decision.ts'
import { matching } from '#issues/filter.ts'
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
  const { ids, filter, ...decision } = input
  if ((ids === undefined) === (filter === undefined)) throw invalid('ids', 'Name the issues by ids or by a filter')
  refuseSenseless(decision, ctx.now)
  const rows = await locked(
    ctx,
    ids ? sql`issue.account_id = ${ctx.account} and issue.id = any(${ids}::uuid[])` : matching(ctx, filter ?? {}),
  )
  const judged = rows.map((row) => ({ row, skipped: objection(ctx, row, decision) }))
  const moved = judged.flatMap(({ row, skipped }) => (skipped ? [] : [row]))
  const skipped = [...unknown(ids ?? [], rows), ...judged.flatMap((one) => one.skipped ?? [])]
  const now = moved.reduce((last, { at }) => (at > last ? at : last), ctx.now)
  await apply({ ...ctx, now }, moved, decision, spreading)
  return {
    updatedCount: moved.length,
    skipped: skipped.slice(0, skippedMax),
    skippedCount: skipped.length,
    ...(moved.length <= beforeMax && { before: byStatus(moved) }),
  }
}

/** In one order, so that two batches cannot wait for each other. */
async function locked(ctx: Ctx, condition: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select issue.id, threat.name, issue.status, issue.category, issue.host_count, ${afterOthers(ctx)} as at
    from issue
    join threat on threat.id = issue.threat_id
    where ${condition}
    order by issue.id
    for update of issue`.execute(ctx.tx)
  return rows
}

function objection(ctx: Ctx, { id, name, status, category }: Row, decision: Decision): SkippedIssue | null {
  if (status === decision.status) return { id, name, code: aborted, message: `It is ${word(status)} already` }
  if (!canBecome(status, decision.status)) {
    return { id, name, code: aborted, message: `A risk that is ${word(status)} cannot become ${word(decision.status)}` }
  }
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

function byStatus(rows: readonly Row[]): { status: IssueStatus; ids: string[] }[] {
  const groups = Map.groupBy(rows, (row) => row.status)
  return [...groups].map(([status, group]) => ({ status, ids: group.map((row) => row.id) }))
}
