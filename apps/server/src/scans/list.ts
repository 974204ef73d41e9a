import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/scan'
import type { Scan } from '@glacis/contract/scan'
import type { Agent } from '@glacis/contract/agent'
import { describeAgentsBriefly } from '#agents/index.ts'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage, totalOf } from '#database/page.ts'
import type { ScanTable } from '#database/tables.ts'
import { notFound } from '#errors.ts'
import { describeTargetsBriefly } from '#targets/index.ts'
import type { Selectable } from 'kysely'

export async function listScans(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listScans>,
): Promise<ResultOf<typeof contract.listScans>> {
  const { filter = {} } = input
  const page = readPage(input, ['scans', filter])
  let query = ctx.tx.selectFrom('scan').where('account_id', '=', ctx.workspace)
  if (filter.targetId) query = query.where('target_id', '=', filter.targetId)
  if (filter.status?.length) query = query.where('status', 'in', filter.status)
  if (filter.types?.length) query = query.where('type', 'in', filter.types)
  if (filter.createdAfter) query = query.where('created_at', '>', new Date(filter.createdAfter))
  const fromPage = page.after ? query.where('id', '<', String(page.after[0])) : query
  const [listed, total] = await Promise.all([
    fromPage
      .selectAll()
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute(),
    page.after ? {} : totalOf(ctx, query.select('id')),
  ])
  const { rows, nextPageToken } = cutPage(page, listed, (row) => [row.id])
  return { scans: await describeScans(ctx, rows), nextPageToken, ...total }
}

/** @throws ApiError `not_found` */
export async function getScan(ctx: Ctx, { id }: { id: string }): Promise<{ scan: Scan }> {
  const row = await ctx.tx
    .selectFrom('scan')
    .selectAll()
    .where('account_id', '=', ctx.workspace)
    .where('id', '=', id)
    .executeTakeFirst()
  const [scan] = row ? await describeScans(ctx, [row]) : []
  if (!scan) throw notFound('scan', id)
  return { scan }
}

/** Scans in their API representation. */
export async function describeScans(ctx: Ctx, rows: readonly Selectable<ScanTable>[]): Promise<Scan[]> {
  const [targets, agents, retested] = await Promise.all([
    describeTargetsBriefly(
      ctx,
      rows.map((row) => row.target_id),
    ),
    describeAgentsBriefly(
      ctx,
      rows.flatMap((row) => row.agent_id ?? []),
    ),
    namesOfIssues(
      ctx,
      rows.flatMap((row) => row.retest_of ?? []),
    ),
  ])
  return rows.map((row) => {
    const target = targets.get(row.target_id)
    const retestOf = retested.get(row.retest_of ?? '')
    const waits = row.agent_id && !row.resume_at ? waitingMessage(row, agents.get(row.agent_id)) : null
    return {
      id: row.id,
      type: row.type,
      status: row.status,
      issueCount: { critical: row.critical, high: row.high, medium: row.medium, low: row.low },
      ...(target && { target }),
      hostCount: {
        scannedHosts: row.scanned_hosts,
        affectedHosts: row.affected_hosts,
        ...(row.excluded_hosts > 0 && { excludedHosts: row.excluded_hosts }),
      },
      createTime: row.created_at.toISOString(),
      updateTime: row.updated_at.toISOString(),
      ...(row.started_at && { startTime: row.started_at.toISOString() }),
      ...(row.completed_at && { completeTime: row.completed_at.toISOString() }),
      progress: {
        phase: waits ? 'PHASE_WAITING' : row.phase,
        hostsDone: row.hosts_done,
        hostsTotal: row.hosts_total,
        ...(row.last_activity_at && { lastActivityTime: row.last_activity_at.toISOString() }),
        failureReason: waits ?? row.reason,
        ...(row.resume_at && { resumeTime: row.resume_at.toISOString() }),
      },
      changes: { new: row.new_count, resolved: row.resolved_count, regressive: row.regressive_count },
      ...(row.type === 'TYPE_MANUAL' && { startedBy: row.started_by }),
      ...(retestOf && { retestOf }),
      ...(row.agent_id && { agent: { id: row.agent_id, name: row.agent_name } }),
    }
  })
}

async function namesOfIssues(ctx: Ctx, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, { id: string; name: string }>()
  const rows = await ctx.tx
    .selectFrom('issue')
    .innerJoin('threat', 'threat.id', 'issue.threat_id')
    .select(['issue.id', 'threat.name'])
    .where('issue.account_id', '=', ctx.workspace)
    .where('issue.id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Why an active scan of an agent makes no progress; null if it does. */
function waitingMessage({ status }: Selectable<ScanTable>, agent: Agent | undefined): string | null {
  if (!agent || (status !== 'STATUS_CREATED' && status !== 'STATUS_RUNNING')) return null
  if (agent.status === 'STATUS_CONNECTED')
    return status === 'STATUS_CREATED' ? `Waiting for agent ${agent.name}.` : null
  const state = agent.lastSeenTime ? 'is disconnected' : 'has never connected'
  return `Waiting for agent ${agent.name}, which ${state}.`
}
