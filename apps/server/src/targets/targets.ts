import type { InputOf, ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/target'
import type { Target } from '@glacis/contract/target'
import { isProblem, parseAddress, type ScanAddress } from '@glacis/scanner'
import { record } from '#audit.ts'
import { spendTarget } from '#billing/index.ts'
import type { Ctx } from '#ctx.ts'
import { newId } from '#database/index.ts'
import { cutPage, readPage } from '#database/page.ts'
import { invalid, notFound } from '#errors.ts'
import { describeTargets } from '#targets/describe.ts'
import { nextScanAt } from '#targets/schedule.ts'
import { setTags } from '#targets/tags.ts'
import { sql } from 'kysely'

/**
 * Registers a target. Its address is stored as it was understood, so that equal addresses are equal.
 *
 * @throws Refusal `invalid` when the address is none, an agent does not exist or a tag does not;
 *   `quota_exceeded` when the plan holds no further target
 */
export async function createTarget(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.createTarget>,
): Promise<{ target: Target }> {
  const address = readAddress(input.address)
  if (input.agent) throw invalid('agent.id', `There is no agent ${input.agent.id}`)
  await spendTarget(ctx)
  const id = newId()
  await ctx.tx
    .insertInto('target')
    .values({
      account_id: ctx.account,
      id,
      name: input.name,
      address: address.text,
      kind: address.kind,
      schedule_period: input.schedule.period,
      next_scan_at: nextScanAt(input.schedule.period, id, ctx.now),
      created_at: ctx.now,
      updated_at: ctx.now,
      deleted_at: null,
    })
    .execute()
  await setTags(
    ctx,
    id,
    input.tags.map((tag) => tag.id),
  )
  await record(ctx, 'target.create', { kind: 'target', id }, { address: address.text })
  return getTarget(ctx, { id })
}

/** @throws Refusal `not_found` */
export async function getTarget(ctx: Ctx, { id }: { id: string }): Promise<{ target: Target }> {
  await mustExist(ctx, id)
  const target = (await describeTargets(ctx, [id])).get(id)
  if (!target) throw notFound('target', id)
  return { target }
}

export async function listTargets(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listTargets>,
): Promise<ResultOf<typeof contract.listTargets>> {
  const { filter = {} } = input
  const page = readPage(input, filter)
  let query = ctx.tx
    .selectFrom('target')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(page.size + 1)
  if (page.after) query = query.where('id', '<', String(page.after[0]))
  if (filter.periods) query = query.where('schedule_period', 'in', filter.periods)
  if (filter.agentId) query = query.where(sql<boolean>`false`)
  if (filter.query) {
    const like = `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`
    query = query.where((where) => where.or([where('name', 'ilike', like), where('address', 'ilike', like)]))
  }
  if (filter.tagIds) {
    query = query.where((where) =>
      where.exists(
        where
          .selectFrom('target_tag')
          .select('tag_id')
          .where('target_tag.account_id', '=', ctx.account)
          .whereRef('target_tag.target_id', '=', 'target.id')
          .where('tag_id', 'in', filter.tagIds ?? []),
      ),
    )
  }
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.id])
  const described = await describeTargets(
    ctx,
    rows.map((row) => row.id),
  )
  return { targets: rows.flatMap((row) => described.get(row.id) ?? []), nextPageToken }
}

const changeable = ['name', 'schedule', 'schedule.period', 'agent', 'agent.id', 'tags'] as const

/**
 * Changes the members that `updateMask.paths` names.
 *
 * @throws Refusal `invalid` for a path that cannot be changed or whose value is missing
 */
export async function updateTarget(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.updateTarget>,
): Promise<{ target: Target }> {
  const paths = new Set(input.updateMask.paths)
  const unknown = [...paths].find((path) => !changeable.some((known) => known === path))
  if (unknown) throw invalid('updateMask.paths', `'${unknown}' cannot be changed; these can: ${changeable.join(', ')}`)
  await mustExist(ctx, input.id)
  const period =
    paths.has('schedule') || paths.has('schedule.period') ? required(input.schedule, 'schedule').period : undefined
  if ((paths.has('agent') || paths.has('agent.id')) && input.agent)
    throw invalid('agent.id', `There is no agent ${input.agent.id}`)
  await ctx.tx
    .updateTable('target')
    .set({
      updated_at: ctx.now,
      ...(paths.has('name') && { name: required(input.name, 'name') }),
      ...(period && { schedule_period: period, next_scan_at: nextScanAt(period, input.id, ctx.now) }),
    })
    .where('account_id', '=', ctx.account)
    .where('id', '=', input.id)
    .execute()
  if (paths.has('tags'))
    await setTags(
      ctx,
      input.id,
      required(input.tags, 'tags').map((tag) => tag.id),
    )
  await record(ctx, 'target.update', { kind: 'target', id: input.id }, { paths: [...paths] })
  return getTarget(ctx, { id: input.id })
}

/**
 * Takes a target out of sight: its schedule ends, its running scan is cancelled (the worker sees
 * it within a second), and its rows stay as history.
 *
 * @throws Refusal `not_found`, also the second time
 */
export async function deleteTarget(ctx: Ctx, { id }: { id: string }): Promise<Record<string, never>> {
  await mustExist(ctx, id)
  await ctx.tx
    .updateTable('target')
    .set({ deleted_at: ctx.now, next_scan_at: null, updated_at: ctx.now })
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .execute()
  await record(ctx, 'target.delete', { kind: 'target', id })
  return {}
}

/** How each address would be understood. Nothing is stored. */
export function parseTargets(input: InputOf<typeof contract.parseTargets>): ResultOf<typeof contract.parseTargets> {
  const results = input.addresses.map((text) => {
    const address = parseAddress(text)
    if (isProblem(address)) return { input: text, error: address.problem }
    const { kind, hostCount, isPrivate } = address
    return { input: text, normalized: address.text, kind, hostCount, private: isPrivate }
  })
  return { results }
}

function readAddress(text: string): ScanAddress {
  const address = parseAddress(text)
  if (isProblem(address)) throw invalid('address', address.problem)
  return address
}

function required<T>(value: T | undefined, path: string): T {
  if (value === undefined) throw invalid(path, `updateMask names '${path}', but the body does not hold it`)
  return value
}

async function mustExist(ctx: Ctx, id: string): Promise<void> {
  const row = await ctx.tx
    .selectFrom('target')
    .select('id')
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw notFound('target', id)
}
