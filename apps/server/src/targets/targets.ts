import { isDeepStrictEqual } from 'node:util'
import type { ParsedInputOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/target'
import type { Target } from '@glacis/contract/target'
import { isProblem, parseAddress, type ScanAddress } from '@glacis/scanner'
import { describeAgentsBriefly } from '#agents/index.ts'
import { recordAuditEvent, recordAuditEvents } from '#audit.ts'
import { consumeTargetQuota } from '#billing/index.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import type { TargetTable } from '#database/tables.ts'
import { invalid, masked, notFound, type SkippedItem, unchangeable } from '#errors.ts'
import { lockTargets } from '#targets/batch.ts'
import { describeTargets } from '#targets/describe.ts'
import { nextScanAt } from '#targets/schedule.ts'
import { readHours, readSettings } from '#targets/settings.ts'
import { requireMembers } from '#targets/ownership.ts'
import { requirePermission } from '#targets/check-permissions.ts'
import { setTags } from '#targets/tags.ts'
import type { Selectable } from 'kysely'

/**
 * Creates a target. The address is stored in canonical form, so that equal addresses compare equal.
 *
 * @throws ApiError `invalid` for an invalid address, or an unknown agent or tag; `quota_exceeded`
 * if the plan's target limit is reached
 */
export async function createTarget(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.createTarget>,
): Promise<{ target: Target }> {
  const address = readAddress(input.address)
  const settings = readSettings(input, address.text)
  const schedule = { period: input.schedule.period, allowedHours: readHours(input.schedule.allowedHours) }
  if (input.agent) await requireAgent(ctx, input.agent.id)
  if (input.owner) await requireMembers(ctx, [input.owner.id], 'owner.id')
  requirePermission(ctx, [], settings.permissions)
  await consumeTargetQuota(ctx, address.text)
  const id = newId()
  await ctx.tx
    .insertInto('target')
    .values({
      account_id: ctx.workspace,
      id,
      name: input.name,
      address: address.text,
      kind: address.kind,
      schedule_period: schedule.period,
      allowed_hours: schedule.allowedHours && JSON.stringify(schedule.allowedHours),
      next_scan_at: nextScanAt(schedule, id, ctx.now),
      ...settings,
      created_at: ctx.now,
      updated_at: ctx.now,
      deleted_at: null,
      agent_id: input.agent?.id ?? null,
      former_agent: null,
      owner_id: input.owner?.id ?? null,
    })
    .execute()
  await setTags(
    ctx,
    id,
    input.tags.map((tag) => tag.id),
  )
  const { isPermitted } = input
  await recordAuditEvent(
    ctx,
    'target.create',
    { kind: 'target', id },
    { address: address.text, ...(isPermitted !== undefined && { isPermitted }) },
  )
  return getTarget(ctx, { id })
}

/** @throws ApiError `not_found` */
export async function getTarget(ctx: Ctx, { id }: { id: string }): Promise<{ target: Target }> {
  await requireTarget(ctx, id)
  const target = (await describeTargets(ctx, [id])).get(id)
  if (!target) throw notFound('target', id)
  return { target }
}

const changeable = [
  'name',
  'schedule',
  'schedule.period',
  'schedule.allowedHours',
  'agent',
  'agent.id',
  'tags',
  'owner',
  'exclusions',
  'profile',
  'permissions',
  'ports',
  'ratePerHost',
  'paused',
] as const
type Input = ParsedInputOf<typeof contract.updateTarget>

/**
 * Updates the fields in `updateMask.paths`. `schedule` covers both of its fields, so allowed hours
 * missing from the body are removed.
 *
 * @throws ApiError `invalid` for a field that can't be changed or has no value; `quota_exceeded` if
 * a paused target is resumed and the plan's target limit is reached
 */
export async function updateTarget(ctx: Ctx, input: Input): Promise<{ target: Target }> {
  const paths = new Set(input.updateMask.paths)
  const unknown = [...paths].find((path) => !changeable.some((known) => known === path))
  if (unknown !== undefined) throw unchangeable(unknown, changeable)
  const target = await lock(ctx, input.id)
  const isMoving = paths.has('agent') || paths.has('agent.id')
  if (isMoving && input.agent) await requireAgent(ctx, input.agent.id)
  const settings = readSettings(
    masked(input, named(paths), ['exclusions', 'profile', 'permissions', 'ports', 'ratePerHost']),
    target.address,
  )
  requirePermission(ctx, target.permissions, settings.permissions)
  if (paths.has('owner') && input.owner) await requireMembers(ctx, [input.owner.id], 'owner.id')
  await ctx.tx
    .updateTable('target')
    .set({
      updated_at: ctx.now,
      ...(paths.has('owner') && { owner_id: required(input.owner, 'owner')?.id ?? null }),
      ...(paths.has('name') && { name: required(input.name, 'name') }),
      ...(isMoving && { agent_id: input.agent?.id ?? null, former_agent: null }),
      ...settings,
      ...(await scheduleColumns(ctx, target, input, paths)),
    })
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', input.id)
    .execute()
  if (paths.has('tags'))
    await setTags(
      ctx,
      input.id,
      required(input.tags, 'tags').map((tag) => tag.id),
    )
  await recordAuditEvent(ctx, 'target.update', { kind: 'target', id: input.id }, { paths: [...paths] })
  return getTarget(ctx, { id: input.id })
}

function named(paths: ReadonlySet<string>): string[] {
  return ['exclusions', 'profile', 'permissions', 'ports', 'ratePerHost'].filter((path) => paths.has(path))
}

/** The columns of schedule, pause, and the resulting next scan; empty if none of them changes. */
async function scheduleColumns(ctx: Ctx, target: Selectable<TargetTable>, input: Input, paths: ReadonlySet<string>) {
  const isWhole = paths.has('schedule')
  const [period, hours] = [isWhole || paths.has('schedule.period'), isWhole || paths.has('schedule.allowedHours')]
  if (!period && !hours && !paths.has('paused')) return {}
  const given = period || hours ? required(input.schedule, 'schedule') : undefined
  const schedule = {
    period: period && given ? given.period : target.schedule_period,
    allowedHours: hours ? readHours(given?.allowedHours) : target.allowed_hours,
  }
  const isPaused = paths.has('paused') ? required(input.paused, 'paused') : target.paused_at !== null
  if (target.paused_at && !isPaused) await consumeTargetQuota(ctx, target.address)
  const allowedHours = schedule.allowedHours && JSON.stringify(schedule.allowedHours)
  const isSame =
    schedule.period === target.schedule_period &&
    isDeepStrictEqual(allowedHours && JSON.parse(allowedHours), target.allowed_hours) &&
    isPaused === (target.paused_at !== null)
  return {
    schedule_period: schedule.period,
    allowed_hours: allowedHours,
    paused_at: isPaused ? (target.paused_at ?? ctx.now) : null,
    // Setting the same schedule again doesn't postpone the next scan.
    next_scan_at: isSame ? target.next_scan_at : isPaused ? null : nextScanAt(schedule, target.id, ctx.now),
  }
}

/**
 * Marks targets as deleted: their schedules end, and their rows stay as history. The caller cancels
 * their scans and closes their issues.
 *
 * @returns which targets were deleted, and which no longer existed
 */
export async function deleteTargets(
  ctx: Ctx,
  ids: readonly string[],
): Promise<{ deleted: string[]; skipped: SkippedItem[] }> {
  const { found, skipped } = await lockTargets(ctx, ids)
  const deleted = found.map((target) => target.id)
  if (deleted.length === 0) return { deleted, skipped }
  await ctx.tx
    .updateTable('target')
    .set({ deleted_at: ctx.now, next_scan_at: null, updated_at: ctx.now })
    .where('account_id', '=', ctx.workspace)
    .where('id', 'in', deleted)
    .execute()
  await recordAuditEvents(ctx, 'target.delete', 'target', deleted)
  return { deleted, skipped }
}

function readAddress(text: string): ScanAddress {
  const address = parseAddress(text)
  if (isProblem(address)) throw invalid('address', address.problem)
  return address
}

function required<T>(value: T | undefined, path: string): T {
  if (value === undefined) throw invalid(path, `updateMask includes '${path}', but the body doesn't contain it`)
  return value
}

async function requireAgent(ctx: Ctx, id: string): Promise<void> {
  if (!(await describeAgentsBriefly(ctx, [id])).has(id)) throw invalid('agent.id', `No agent has the ID ${id}`)
}

/** @throws ApiError `not_found` if the workspace has no such target or it was deleted */
async function requireTarget(ctx: Ctx, id: string): Promise<void> {
  if (!(await existing(ctx, id).executeTakeFirst())) throw notFound('target', id)
}

/** Locks a target for an update, because some columns depend on others. */
async function lock(ctx: Ctx, id: string): Promise<Selectable<TargetTable>> {
  const row = await existing(ctx, id).forUpdate().executeTakeFirst()
  if (!row) throw notFound('target', id)
  return row
}

function existing(ctx: Ctx, id: string) {
  return ctx.tx
    .selectFrom('target')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
}
