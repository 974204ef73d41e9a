/** Every call of the API: where someone asks, this is where it starts. */
import * as account from '@glacis/contract/account'
import * as insights from '@glacis/contract/insights'
import * as inventory from '@glacis/contract/inventory'
import * as issue from '@glacis/contract/issue'
import * as scan from '@glacis/contract/scan'
import * as target from '@glacis/contract/target'
import * as billing from '#billing/index.ts'
import type { Router } from '#http/route.ts'
import * as inventories from '#inventory/index.ts'
import * as issues from '#issues/index.ts'
import type { Jobs } from '#jobs.ts'
import { listFeeds } from '#packs/index.ts'
import * as scans from '#scans/index.ts'
import * as stats from '#stats.ts'
import * as targets from '#targets/index.ts'

export function serveApi({ serve }: Router, { jobs }: { jobs: Jobs }): void {
  serve(target.listTargets, targets.listTargets)
  serve(target.getTarget, targets.getTarget)
  serve(target.createTarget, targets.createTarget)
  serve(target.updateTarget, targets.updateTarget)
  serve(target.deleteTarget, async (ctx, input) => {
    const nothing = await targets.deleteTarget(ctx, input)
    await scans.cancelOfTarget(ctx, input.id)
    await issues.closeOfTarget(ctx, input.id)
    return nothing
  })
  serve(target.parseTargets, (_ctx, input) => targets.parseTargets(input))
  serve(target.listTags, (ctx) => targets.listTags(ctx))
  serve(target.createTag, targets.createTag)

  serve(inventory.listHosts, (ctx, input) => inventories.listHosts(ctx, input, targets.describeTargets))
  serve(inventory.getHost, (ctx, input) => inventories.getHost(ctx, input, targets.describeTargets))
  serve(inventory.listProducts, inventories.listProducts)
  serve(inventory.getProduct, inventories.getProduct)

  serve(scan.listScans, scans.listScans)
  serve(scan.getScan, scans.getScan)
  serve(scan.startScan, (ctx, { targetId }) => scans.startScan(ctx, jobs, targetId))
  serve(scan.cancelScan, scans.cancelScan)
  serve(scan.listScanEvents, scans.listScanEvents)

  serve(issue.listIssues, (ctx, input) => issues.listIssues(ctx, input, targets.describeTargets))
  serve(issue.getIssue, (ctx, input) => issues.getIssue(ctx, input, targets.describeTargets))
  serve(issue.setIssueStatus, (ctx, input) => issues.setIssueStatus(ctx, input, targets.describeTargets))

  serve(insights.issuesBySeverity, stats.issuesBySeverity)
  serve(insights.issuesByStatus, stats.issuesByStatus)
  serve(insights.scansOverTime, stats.scans)
  serve(insights.affectedHostsOverTime, stats.affectedHosts)
  serve(insights.statsSummary, stats.summary)
  serve(insights.listFeeds, (ctx) => listFeeds(ctx))

  serve(account.getSubscription, (ctx) => billing.getSubscription(ctx))
  serve(account.changeSubscription, billing.changeSubscription)
  serve(account.listPlans, () => billing.listPlans())
}
