import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/scan'
import type { Scan } from '@glacis/contract/scan'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage } from '#database/page.ts'
import type { ScanTable } from '#database/tables.ts'
import { notFound } from '#errors.ts'
import { describeTargets } from '#targets/index.ts'
import type { Selectable } from 'kysely'

export async function listScans(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listScans>,
): Promise<ResultOf<typeof contract.listScans>> {
  const { filter = {} } = input
  const page = readPage(input, filter)
  let query = ctx.tx
    .selectFrom('scan')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .orderBy('id', 'desc')
    .limit(page.size + 1)
  if (page.after) query = query.where('id', '<', String(page.after[0]))
  if (filter.targetId) query = query.where('target_id', '=', filter.targetId)
  if (filter.status?.length) query = query.where('status', 'in', filter.status)
  if (filter.types?.length) query = query.where('type', 'in', filter.types)
  if (filter.createdAfter) query = query.where('created_at', '>', new Date(filter.createdAfter))
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.id])
  return { scans: await describeScans(ctx, rows), nextPageToken }
}

/** @throws Refusal `not_found` */
export async function getScan(ctx: Ctx, { id }: { id: string }): Promise<{ scan: Scan }> {
  const row = await ctx.tx
    .selectFrom('scan')
    .selectAll()
    .where('account_id', '=', ctx.account)
    .where('id', '=', id)
    .executeTakeFirst()
  const [scan] = row ? await describeScans(ctx, [row]) : []
  if (!scan) throw notFound('scan', id)
  return { scan }
}

/** @throws Refusal `not_found` */
export async function listScanEvents(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listScanEvents>,
): Promise<ResultOf<typeof contract.listScanEvents>> {
  await getScan(ctx, input)
  const page = readPage(input, input.id)
  let query = ctx.tx
    .selectFrom('scan_event')
    .select(['id', 'at', 'level', 'message'])
    .where('account_id', '=', ctx.account)
    .where('scan_id', '=', input.id)
    .orderBy('id')
    .limit(page.size + 1)
  if (page.after) query = query.where('id', '>', String(page.after[0]))
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.id])
  const events = rows.map((row) => ({
    id: row.id,
    time: row.at.toISOString(),
    level: levelOf(row.level),
    message: row.message,
  }))
  return { events, nextPageToken }
}

function levelOf(level: string): 'LEVEL_INFO' | 'LEVEL_WARN' | 'LEVEL_ERROR' {
  return level === 'LEVEL_WARN' || level === 'LEVEL_ERROR' ? level : 'LEVEL_INFO'
}

/** Scans as the contract shows them. */
export async function describeScans(ctx: Ctx, rows: readonly Selectable<ScanTable>[]): Promise<Scan[]> {
  const targets = await describeTargets(
    ctx,
    rows.map((row) => row.target_id),
  )
  return rows.map((row) => {
    const target = targets.get(row.target_id)
    return {
      id: row.id,
      type: row.type,
      status: row.status,
      issueCount: { critical: row.critical, high: row.high, medium: row.medium, low: row.low },
      ...(target && { target }),
      hostCount: { scannedHosts: row.scanned_hosts, affectedHosts: row.affected_hosts },
      createTime: row.created_at.toISOString(),
      updateTime: row.updated_at.toISOString(),
      ...(row.started_at && { startTime: row.started_at.toISOString() }),
      ...(row.completed_at && { completeTime: row.completed_at.toISOString() }),
      progress: {
        phase: row.phase,
        hostsDone: row.hosts_done,
        hostsTotal: row.hosts_total,
        ...(row.last_activity_at && { lastActivityTime: row.last_activity_at.toISOString() }),
        failureReason: row.reason,
      },
      changes: { new: row.new_count, resolved: row.resolved_count, regressive: row.regressive_count },
      startedBy: row.started_by,
    }
  })
}
