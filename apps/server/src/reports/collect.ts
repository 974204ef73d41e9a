import type { Host } from '@glacis/contract/host'
import type { Issue } from '@glacis/contract/issue'
import { targetAddress } from '@glacis/contract/target-address'
import type { Ctx } from '#ctx.ts'
import { notFound } from '#errors.ts'
import { describeHosts } from '#inventory/index.ts'
import { issuesOfScan } from '#issues/index.ts'
import type { ReportHost, ReportIssue, ReportModel } from './model.ts'
import { restrictToTarget } from './target-issues.ts'
import { getScan } from '#scans/index.ts'
import { describeTargets } from '#targets/index.ts'
import { threatsById } from '#threats/index.ts'

/**
 * Collects the data of a scan's report: hosts it reached, issues it detected or resolved with their
 * current status on its target, and the previous completed scan (not a retest).
 *
 * @throws ApiError `not_found`
 */
export async function collectReport(ctx: Ctx, scanId: string): Promise<ReportModel> {
  const { scan } = await getScan(ctx, { id: scanId })
  if (!scan.target) throw notFound('scan', scanId)
  const workspace = await ctx.tx
    .selectFrom('workspace')
    .select('name')
    .where('id', '=', ctx.workspace)
    .executeTakeFirstOrThrow()
  const previous = await previousScan(ctx, scan.target.id, scanId)
  const issues = await issuesOfScan(ctx, { id: scanId, targetId: scan.target.id }, describeTargets)
  return {
    account: workspace,
    generatedAt: ctx.now.toISOString(),
    scan,
    target: { name: scan.target.name, address: targetAddress(scan.target) },
    ...(previous && { previous }),
    hosts: await hostsOf(ctx, scanId),
    issues: await withThreatKeys(ctx, restrictToTarget(issues, scan.target.id)),
  }
}

async function withThreatKeys(ctx: Ctx, issues: readonly Issue[]): Promise<ReportIssue[]> {
  const threats = await threatsById(
    ctx,
    issues.map(({ threat }) => threat.id),
  )
  return issues.map((issue) => ({ ...issue, threatKey: threats.get(issue.threat.id)?.key ?? issue.threat.id }))
}

async function previousScan(ctx: Ctx, targetId: string, scanId: string): Promise<ReportModel['previous']> {
  const row = await ctx.tx
    .selectFrom('scan')
    .select(['completed_at', 'critical', 'high', 'medium', 'low'])
    .where('account_id', '=', ctx.workspace)
    .where('target_id', '=', targetId)
    .where('status', '=', 'STATUS_COMPLETED')
    .where('retest_of', 'is', null)
    .where('id', '<', scanId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row?.completed_at) return undefined
  const { completed_at, ...issueCount } = row
  return { completeTime: completed_at.toISOString(), issueCount }
}

async function hostsOf(ctx: Ctx, scanId: string): Promise<ReportHost[]> {
  const rows = await ctx.tx
    .selectFrom('scan_host')
    .select('host_id')
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', scanId)
    .where('host_id', 'is not', null)
    .where('reached', '=', true)
    .execute()
  const hosts = await describeHosts(
    ctx,
    rows.flatMap((row) => row.host_id ?? []),
    describeTargets,
  )
  return [...hosts.values()]
    .map(toReportHost)
    .toSorted((a, b) => a.address.localeCompare(b.address, 'en', { numeric: true }))
}

function toReportHost(host: Host): ReportHost {
  return {
    address: host.address,
    name: host.name,
    services: host.services ?? [],
    technologies: host.inventory.flatMap(({ product }) =>
      product ? { name: product.name, version: product.version } : [],
    ),
  }
}
