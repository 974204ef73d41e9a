import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/target'
import { recordAuditEvents } from '#audit.ts'
import { targetsLeft } from '#billing/index.ts'
import type { Ctx } from '#ctx.ts'
import type { TargetTable } from '#database/tables.ts'
import { notFound, ApiError, type SkippedItem, skip } from '#errors.ts'
import { requireMembers } from '#targets/ownership.ts'
import { nextScanAt } from '#targets/schedule.ts'
import { addTags, requireTags, removeTags } from '#targets/tags.ts'
import { type Selectable, sql } from 'kysely'

type Input = ParsedInputOf<typeof contract.changeTargets>
type Row = Selectable<TargetTable>

/**
 * Changes many targets. Tags are added and removed, never replaced, so that targets keep their
 * other tags. Targets that can't be changed are skipped with the reason.
 *
 * @throws ApiError `invalid` if a tag doesn't exist or the owner isn't a member
 */
export async function changeTargets(ctx: Ctx, input: Input): Promise<ResultOf<typeof contract.changeTargets>> {
  const added = input.addTags?.map((tag) => tag.id) ?? []
  const removed = input.removeTags?.map((tag) => tag.id) ?? []
  await requireTags(ctx, [...added, ...removed])
  if (input.owner) await requireMembers(ctx, [input.owner.id], 'owner.id')
  const { found, skipped } = await lockTargets(ctx, input.ids)
  const { changing, overLimit } = await withinPlan(ctx, found, input.paused)
  await write(ctx, changing, input)
  const ids = changing.map((target) => target.id)
  if (input.owner !== undefined) await setOwner(ctx, ids, input.owner?.id ?? null)
  await addTags(ctx, ids, added)
  await removeTags(ctx, ids, removed)
  const { period, paused, owner } = input
  const given = { ...(owner !== undefined && { ownerId: owner?.id ?? null }) }
  const detail = { added, removed, ...given, ...(period && { period }), ...(paused !== undefined && { paused }) }
  await recordAuditEvents(ctx, 'target.update', 'target', ids, detail)
  return { updatedCount: changing.length, skipped: [...skipped, ...overLimit] }
}

async function setOwner(ctx: Ctx, ids: readonly string[], ownerId: string | null): Promise<void> {
  await sql`
    update target set owner_id = ${ownerId}, updated_at = ${ctx.now}
    where account_id = ${ctx.workspace} and id = any(${ids}::uuid[])`.execute(ctx.tx)
}

/** Locks the targets with these IDs; also returns the IDs that don't exist. */
export async function lockTargets(
  ctx: Ctx,
  ids: readonly string[],
): Promise<{ found: readonly Row[]; skipped: SkippedItem[] }> {
  const uniqueIds = [...new Set(ids)]
  const found = await ctx.tx
    .selectFrom('target')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('id', 'in', uniqueIds)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  const known = new Set(found.map((target) => target.id))
  return { found, skipped: uniqueIds.filter((id) => !known.has(id)).map((id) => skip(id, notFound('target', id))) }
}

/** A paused target doesn't count toward the plan, so resuming it needs a free slot. */
async function withinPlan(ctx: Ctx, targets: readonly Row[], paused: boolean | undefined) {
  const returning = paused === false ? targets.filter((target) => target.paused_at) : []
  if (returning.length === 0) return { changing: targets, overLimit: [] }
  const remaining = await targetsLeft(ctx)
  const overLimit = new Set(returning.slice(remaining).map((target) => target.id))
  const limitError = new ApiError('quota_exceeded', "Your plan's target limit is reached")
  return {
    changing: targets.filter((target) => !overLimit.has(target.id)),
    overLimit: [...overLimit].map((id) => skip(id, limitError)),
  }
}

async function write(ctx: Ctx, targets: readonly Row[], { period, paused }: Input): Promise<void> {
  if (targets.length === 0 || (period === undefined && paused === undefined)) return
  const next = targets.map((target) => {
    const pausedAt = paused === undefined ? target.paused_at : paused ? (target.paused_at ?? ctx.now) : null
    const schedule = { period: period ?? target.schedule_period, allowedHours: target.allowed_hours }
    const isSame = schedule.period === target.schedule_period && Boolean(pausedAt) === Boolean(target.paused_at)
    const dueAt = isSame ? target.next_scan_at : nextScanAt(schedule, target.id, ctx.now)
    return { id: target.id, period: schedule.period, pausedAt, dueAt: pausedAt ? null : dueAt }
  })
  await sql`
    update target set
      schedule_period = next.period, paused_at = next.paused_at, next_scan_at = next.due_at, updated_at = ${ctx.now}
    from unnest(
      ${next.map((item) => item.id)}::uuid[], ${next.map((item) => item.period)}::text[],
      ${next.map((item) => item.pausedAt)}::timestamptz[], ${next.map((item) => item.dueAt)}::timestamptz[]
    ) as next (id, period, paused_at, due_at)
    where target.account_id = ${ctx.workspace} and target.id = next.id`.execute(ctx.tx)
}
