/** Maps every endpoint of the contract to its implementation. */
import * as access from '@glacis/contract/access'
import * as subscription from '@glacis/contract/subscription'
import * as agent from '@glacis/contract/agent'
import * as channel from '@glacis/contract/channel'
import * as host from '@glacis/contract/host'
import * as insights from '@glacis/contract/insights'
import * as issue from '@glacis/contract/issue'
import * as product from '@glacis/contract/product'
import * as scan from '@glacis/contract/scan'
import * as installation from '@glacis/contract/installation'
import { search } from '@glacis/contract/search'
import type { Knowledge } from '@glacis/intelligence'
import * as tag from '@glacis/contract/tag'
import * as target from '@glacis/contract/target'
import * as agents from '#agents/index.ts'
import * as triage from '@glacis/contract/triage'
import * as view from '@glacis/contract/view'
import * as provider from '@glacis/contract/sign-in-provider'
import * as provisioning from '@glacis/contract/provisioning'
import * as invitation from '@glacis/contract/invitation'
import * as workspace from '@glacis/contract/workspace'
import * as billing from '#billing/index.ts'
import type { Ctx } from '#ctx.ts'
import { notFound } from '#errors.ts'
import { ecosystem } from '#graph.ts'
import type { Router } from '#http/route.ts'
import { scimUrl } from '#http/scim.ts'
import * as administration from '#installation/index.ts'
import * as inventories from '#inventory/index.ts'
import * as issues from '#issues/index.ts'
import type { Jobs } from '#jobs.ts'
import * as notifications from '#notifications/index.ts'
import { checkFeed, type FeedAddresses, listFeeds } from '#packs/index.ts'
import * as scans from '#scans/index.ts'
import { search as find } from '#search.ts'
import * as stats from '#stats/index.ts'
import * as targets from '#targets/index.ts'
import { describeThreats } from '#threats/index.ts'
import * as views from '#views.ts'
import * as tokens from '#tokens.ts'
import * as workspaces from '#workspaces/index.ts'
import type { Database } from '#database/index.ts'
import { listAuditEvents } from '#audit.ts'
import type { ScanNetworks } from '#scan-networks.ts'

interface Services {
  readonly database: Database
  /** The secret of the installation. */
  readonly secret: string
  readonly resolveTxt: workspaces.ResolveTxt
  readonly signIn: workspaces.SignInService
  readonly jobs: Jobs
  readonly mailer: notifications.Sending['mailer']
  readonly egress: notifications.Sending['egress']
  readonly url: string
  readonly feeds: FeedAddresses
  readonly knowledge: Knowledge
  readonly scanNetworks: ScanNetworks
  readonly administration: administration.Administration
}

export function serveApi(router: Router, services: Services): void {
  const { serve, serveInSteps } = router
  const { jobs, mailer, egress, url, feeds, knowledge, scanNetworks } = services
  const inside = targets.describeTargetsBriefly
  serve(target.listTargets, targets.listTargets)
  serve(target.getTarget, targets.getTarget)
  serve(target.createTarget, targets.createTarget)
  serve(target.updateTarget, async (ctx, input) => {
    await targets.updateTarget(ctx, input)
    const { paths } = input.updateMask
    if (paths.includes('paused') && input.paused) await scans.cancelOfTargets(ctx, [input.id], 'The target was paused')
    if (paths.some((path) => path.startsWith('schedule'))) await scans.applyChangedHours(ctx, jobs, input.id)
    return targets.getTarget(ctx, input)
  })
  serve(target.deleteTarget, async (ctx, { id }) => {
    const { deleted } = await deleteTargets(ctx, [id])
    if (deleted.length === 0) throw notFound('target', id)
    return {}
  })
  serve(target.changeTargets, async (ctx, input) => {
    const response = await targets.changeTargets(ctx, input)
    const skipped = new Set(response.skipped.map((item) => item.id))
    const changed = input.ids.filter((id) => !skipped.has(id))
    if (input.paused) await scans.cancelOfTargets(ctx, changed, 'The target was paused')
    return response
  })
  serve(target.deleteTargets, async (ctx, { ids }) => {
    const { deleted, skipped } = await deleteTargets(ctx, ids)
    return { deletedCount: deleted.length, skipped }
  })
  serve(target.parseTargets, (ctx, input) => targets.parseTargets(ctx, scanNetworks, input))
  serve(tag.listTags, (ctx) => targets.listTags(ctx))
  serve(tag.createTag, targets.createTag)
  serve(tag.updateTag, targets.updateTag)
  serve(tag.deleteTag, async (ctx, input) => {
    const response = await targets.deleteTag(ctx, input)
    await notifications.removeTagFromRules(ctx, input.id)
    return response
  })

  serve(agent.listAgents, agents.listAgents)
  serve(agent.getAgent, agents.getAgent)
  serve(agent.createAgent, agents.createAgent)
  serve(agent.updateAgent, async (ctx, input) => {
    const response = await agents.updateAgent(ctx, input)
    if (input.updateMask.paths.includes('inventory') && !response.agent.inventory) {
      await inventories.deleteMachine(ctx, input.id)
      await issues.resolveAbandoned(ctx)
    }
    return response
  })
  serve(agent.deleteAgent, async (ctx, input) => {
    const nothing = await agents.deleteAgent(ctx, input)
    await issues.resolveAbandoned(ctx)
    await scans.reassignScans(ctx, input.id, input.replacementId)
    return nothing
  })
  serve(agent.rotateAgentToken, async (ctx, input) => {
    const response = await agents.rotateToken(ctx, input)
    if (input.revokeOld) await scans.returnAllBatches(ctx, input.id, 'STATE_RETURNED', 'its key was revoked')
    return response
  })
  serve(agent.getAgentInstall, (ctx, input) => agents.agentInstall(ctx, input, url))
  serve(agent.listAgentConnections, agents.listAgentConnections)
  serve(agent.listAgentJobs, scans.listAgentJobs)
  serve(agent.getAgentInventory, inventories.getAgentInventory)
  serve(agent.listAgentPackages, inventories.listAgentPackages)

  serve(host.listHosts, (ctx, input) => inventories.listHosts(ctx, input, targets.describeTargetsBriefly))
  serve(host.getHost, (ctx, input) => inventories.getHost(ctx, input, targets.describeTargetsBriefly))
  serve(host.updateHost, async (ctx, input) => {
    const response = await inventories.updateHost(ctx, input, targets.describeTargetsBriefly)
    if (input.updateMask.paths.includes('criticality')) await issues.refreshPriorities(ctx, [input.id])
    return response
  })
  serve(host.mergeHosts, (ctx, input) => inventories.mergeHosts(ctx, input, targets.describeTargetsBriefly))
  serve(host.splitHost, (ctx, input) => inventories.splitHost(ctx, input, targets.describeTargetsBriefly))
  serve(host.hostTimeline, inventories.hostTimeline)
  serve(product.listProducts, inventories.listProducts)
  serve(product.getProduct, inventories.getProduct)
  serve(product.watchProduct, inventories.watchProduct)
  serve(product.updateProduct, inventories.updateProduct)
  serve(product.deleteProduct, inventories.deleteProduct)
  serve(product.listProductThreats, (ctx, input) =>
    inventories.listProductThreats(ctx, input, describeThreats, knowledge),
  )
  serve(product.searchSoftware, inventories.searchSoftware)

  serve(scan.listScans, scans.listScans)
  serve(scan.getScan, scans.getScan)
  serve(scan.startScan, (ctx, { targetId, ignoreAllowedHours: ignoresHours = false }) =>
    scans.startScan(ctx, jobs, targetId, 'TYPE_MANUAL', { ignoresHours }),
  )
  serve(scan.startScans, (ctx, { targetIds }) => scans.startScans(ctx, jobs, targetIds))
  serve(scan.cancelScan, scans.cancelScan)
  serve(scan.resumeScan, (ctx, input) => scans.resumeScan(ctx, jobs, input))
  serve(scan.listScanHosts, scans.listScanHosts)
  serve(scan.diffScan, scans.diffScan)
  serve(scan.listScanEvents, scans.listScanEvents)

  serve(issue.listIssues, (ctx, input) => issues.listIssues(ctx, input, inside))
  serve(issue.getIssue, (ctx, input) => issues.getIssue(ctx, input, inside))
  serve(issue.setIssueStatus, (ctx, input) => issues.setIssueStatus(ctx, input, inside, { jobs }))

  serve(issue.setHostStatus, (ctx, input) => issues.setHostStatus(ctx, input, inside))
  serve(triage.setStatusOfMany, (ctx, input) => issues.setStatusOfMany(ctx, input, { jobs }))
  serve(triage.updateIssue, (ctx, input) => issues.updateIssue(ctx, input, inside))
  serve(triage.updateManyIssues, issues.updateManyIssues)
  serve(triage.retestIssue, (ctx, input) => scans.retestIssue(ctx, jobs, input))
  serve(triage.listComments, issues.listComments)
  serve(triage.createComment, (ctx, input) => issues.createComment(ctx, jobs, input))
  serve(triage.deleteComment, issues.deleteComment)
  serve(triage.listEvidence, issues.listEvidence)

  serve(view.listViews, views.listViews)
  serve(view.createView, views.createView)
  serve(view.updateView, views.updateView)
  serve(view.deleteView, views.deleteView)
  serve(search, find)

  serve(insights.issuesBySeverity, stats.issuesBySeverity)
  serve(insights.issuesByStatus, stats.issuesByStatus)
  serve(insights.scansOverTime, stats.scans)
  serve(insights.affectedHostsOverTime, stats.affectedHosts)
  serve(insights.statsSummary, stats.summary)
  serve(insights.getEcosystem, ecosystem)
  serve(insights.listFeeds, (ctx) => listFeeds(ctx, feeds))
  serve(insights.checkFeed, (ctx, input) => checkFeed(ctx, jobs, feeds, input))
  serve(insights.getOnboarding, (ctx) => stats.onboarding(ctx))

  serve(subscription.getSubscription, (ctx) => billing.getSubscription(ctx))
  serve(subscription.changeSubscription, billing.changeSubscription)
  serve(subscription.previewSubscription, billing.previewSubscription)
  serve(subscription.listPlans, () => billing.listPlans())

  serve(channel.listChannels, (ctx) => notifications.listChannels(ctx))
  serve(channel.createChannel, (ctx, input) => notifications.createChannel(ctx, { egress }, input))
  serve(channel.previewChannel, notifications.previewChannel)
  serve(channel.updateChannel, (ctx, input) => notifications.updateChannel(ctx, { egress }, input))
  serve(channel.deleteChannel, notifications.deleteChannel)
  serve(channel.rotateChannelSecret, notifications.rotateSecret)
  serveInSteps(channel.testChannel, (within, input) =>
    notifications.testChannel(within, { mailer, egress, url }, input),
  )
  serve(channel.listDeliveries, notifications.listDeliveries)
  serve(channel.redeliver, (ctx, input) => notifications.redeliver(ctx, jobs, input))

  serve(access.listApiTokens, (ctx) => tokens.listApiTokens(ctx))
  serve(access.createApiToken, tokens.createApiToken)
  serve(access.deleteApiToken, tokens.deleteApiToken)
  serve(access.listAuditEvents, listAuditEvents)
  serveWorkspaces(router, services)
  serveInstallation(router, services)
}

function serveWorkspaces(
  { serve, serveInSteps, serveVisit, servePublic }: Router,
  { jobs, database, secret, resolveTxt, url, signIn }: Services,
): void {
  serveVisit(workspace.listWorkspaces, ({ person, actor }) => workspaces.listWorkspaces(database, person, actor))
  serveVisit(workspace.createWorkspace, ({ person }, input) => workspaces.createWorkspace(database, person, input))
  serveVisit(workspace.joinWorkspace, (visit, input) => workspaces.joinWorkspace({ database }, visit, input))
  serve(workspace.getWorkspace, (ctx) => workspaces.getWorkspace(ctx))
  serve(workspace.updateWorkspace, workspaces.updateWorkspace)
  serve(workspace.setSignInNetworks, workspaces.setSignInNetworks)
  serve(workspace.deleteWorkspace, workspaces.deleteWorkspace)
  serve(workspace.cancelWorkspaceDeletion, (ctx) => workspaces.cancelWorkspaceDeletion(ctx))
  serve(workspace.transferOwnership, workspaces.transferOwnership)
  serve(workspace.leaveWorkspace, (ctx) => workspaces.leaveWorkspace(ctx))
  serve(workspace.listMembers, (ctx) => workspaces.listMembers(ctx))
  serve(workspace.updateMember, workspaces.updateMember)
  serve(workspace.removeMember, workspaces.removeMember)
  serve(invitation.listInvitations, (ctx) => workspaces.listInvitations(ctx))
  serve(invitation.createInvitation, (ctx, input) => workspaces.createInvitation(ctx, jobs, input))
  serve(invitation.resendInvitation, (ctx, input) => workspaces.resendInvitation(ctx, jobs, input))
  serve(invitation.revokeInvitation, workspaces.revokeInvitation)
  serveVisit(invitation.previewInvitation, (visit, input) =>
    workspaces.previewInvitation({ database, secret }, visit, input),
  )
  serveVisit(invitation.acceptInvitation, (visit, input) =>
    workspaces.acceptInvitation({ database, secret }, visit, input),
  )
  serve(invitation.listEmailDomains, (ctx) => workspaces.listEmailDomains(ctx))
  serve(invitation.createEmailDomain, workspaces.createEmailDomain)
  serveInSteps(invitation.verifyEmailDomain, (within, input) => workspaces.verifyEmailDomain(within, resolveTxt, input))
  serve(invitation.deleteEmailDomain, workspaces.deleteEmailDomain)
  serve(provider.getSignInProvider, (ctx) => workspaces.getSignInProvider(ctx, signIn))
  serveInSteps(provider.setSignInProvider, (within, input) => workspaces.setSignInProvider(within, signIn, input))
  serve(provider.deleteSignInProvider, (ctx) => workspaces.deleteSignInProvider(ctx))
  servePublic(provider.findSignInProvider, (input) => workspaces.findSignInProvider(database, signIn, input))
  const scim = { url: scimUrl(url) }
  serve(provisioning.getProvisioning, (ctx) => workspaces.getProvisioning(ctx, scim))
  serve(provisioning.updateProvisioning, (ctx, input) => workspaces.updateProvisioning(ctx, scim, input))
  serve(provisioning.createProvisioningToken, workspaces.createProvisioningToken)
  serve(provisioning.deleteProvisioningToken, workspaces.deleteProvisioningToken)
}

function serveInstallation({ serveAdministrator }: Router, { administration: all, database, feeds }: Services): void {
  serveAdministrator(installation.getInstallation, () => administration.getInstallation(all))
  serveAdministrator(installation.setInstallationNetworks, (visit, input) =>
    administration.setInstallationNetworks(all, visit, input),
  )
  serveAdministrator(installation.listAccounts, (visit, input) => administration.listAccounts(all, visit, input))
  serveAdministrator(installation.setAccountState, (visit, input) => administration.setAccountState(all, visit, input))
  serveAdministrator(installation.listAllWorkspaces, (_, input) => administration.listAllWorkspaces(all, input))
  serveAdministrator(installation.listQueues, () => administration.listQueues(all))
  serveAdministrator(installation.retryJob, (visit, input) => administration.retryJob(all, visit, input))
  serveAdministrator(installation.sendTestEmail, (visit) => administration.sendTestEmail(all, visit))
  serveAdministrator(installation.checkInstallation, async () => ({ checks: await all.check() }))
  serveAdministrator(installation.listInstallationFeeds, () => listFeeds({ tx: database.owner }, feeds))
}

/** Deleting a target cancels its running scan and resolves its issues; both are kept as history. */
async function deleteTargets(ctx: Ctx, ids: readonly string[]) {
  const outcome = await targets.deleteTargets(ctx, ids)
  await scans.cancelOfTargets(ctx, outcome.deleted, 'The target was deleted')
  await issues.resolveIssuesOfTargets(ctx, outcome.deleted)
  await inventories.splitHostsOfTargets(ctx, outcome.deleted)
  await inventories.subtractTargetHosts(ctx, outcome.deleted)
  return outcome
}
