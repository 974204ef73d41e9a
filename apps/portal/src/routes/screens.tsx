/** Assigns screens, guards, and loaders to routes. Each screen is a separate chunk, loaded on navigation. */
import { lazyRouteComponent } from '@tanstack/react-router'
import { SubscriptionSkeleton } from '#billing/skeleton.tsx'
import { OnboardingSkeleton } from '#onboarding/skeleton.tsx'
import { AppFrame } from '#routes/app-frame.tsx'
import * as routes from '#routes/app.ts'
import { authRoute } from '#routes/auth.ts'
import { AdministratorsOnly, errorScreenOf } from '#routes/error-screen.tsx'
import * as pending from '#routes/pending.tsx'
import * as risks from '#routes/risks.ts'
import * as surface from '#routes/surface.ts'

// Every page needs it.
authRoute.update({ component: AppFrame })

routes.overview.update({
  component: lazyRouteComponent(() => import('#routes/overview-page.tsx'), 'OverviewScreen'),
})

routes.onboarding.update({
  component: lazyRouteComponent(() => import('#routes/onboarding-page.tsx'), 'OnboardingScreen'),
  pendingComponent: OnboardingSkeleton,
})

routes.profile.update({ component: lazyRouteComponent(() => import('#routes/profile-page.tsx'), 'ProfilePage') })

routes.subscription.update({
  component: lazyRouteComponent(() => import('#billing/subscription.tsx'), 'SubscriptionPage'),
  pendingComponent: SubscriptionSkeleton,
})

routes.integrations.update({
  component: lazyRouteComponent(() => import('#channels/integrations.tsx'), 'IntegrationsPage'),
})

routes.workspace.update({
  component: lazyRouteComponent(() => import('#workspaces/settings.tsx'), 'WorkspaceSettingsPage'),
})

routes.installation.update({
  component: lazyRouteComponent(() => import('#installation/installation-page.tsx'), 'InstallationPage'),
  errorComponent: AdministratorsOnly,
})

const riskLists = () => import('#routes/risk-list-pages.tsx')
risks.risksVerified.update({ component: lazyRouteComponent(riskLists, 'VerifiedRisksScreen') })
risks.risksPotential.update({ component: lazyRouteComponent(riskLists, 'PotentialRisksScreen') })
risks.risk.update({
  component: lazyRouteComponent(() => import('#issues/issue-detail.tsx'), 'IssueDetailPage'),
  pendingComponent: pending.PendingRisk,
  errorComponent: errorScreenOf('risk', { to: '/risks/verified', label: 'See verified risks' }),
})

risks.risksVisual.update({ component: lazyRouteComponent(() => import('#graph/visual-map.tsx'), 'VisualMapPage') })

const childLists = () => import('#issues/child-lists.tsx')
surface.targetIssues.update({ component: lazyRouteComponent(childLists, 'TargetIssuesPage') })
surface.assetIssues.update({ component: lazyRouteComponent(childLists, 'HostIssuesPage') })

surface.scope.update({ component: lazyRouteComponent(() => import('#targets/target-list.tsx'), 'TargetListPage') })
surface.target.update({
  component: lazyRouteComponent(() => import('#targets/target-detail.tsx'), 'TargetDetailPage'),
  pendingComponent: pending.PendingTarget,
  errorComponent: errorScreenOf('target', { to: '/scope', label: 'See all targets' }),
})
surface.targetOverview.update({
  component: lazyRouteComponent(() => import('#routes/target-overview-page.tsx'), 'TargetOverviewScreen'),
})
surface.targetScans.update({
  component: lazyRouteComponent(() => import('#scans/target-scans.tsx'), 'TargetScansPage'),
})
surface.targetAssets.update({
  component: lazyRouteComponent(() => import('#hosts/child-lists.tsx'), 'TargetAssetsPage'),
})

surface.agents.update({ component: lazyRouteComponent(() => import('#agents/agent-list.tsx'), 'AgentListPage') })
surface.agent.update({
  component: lazyRouteComponent(() => import('#routes/agent-page.tsx'), 'AgentScreen'),
  pendingComponent: pending.PendingAgent,
  errorComponent: errorScreenOf('agent', { to: '/agents', label: 'See all agents' }),
})

surface.assets.update({ component: lazyRouteComponent(() => import('#hosts/host-list.tsx'), 'HostListPage') })
surface.asset.update({
  component: lazyRouteComponent(() => import('#hosts/host-detail.tsx'), 'HostDetailPage'),
  pendingComponent: pending.PendingAsset,
  errorComponent: errorScreenOf('asset', { to: '/assets', label: 'See all assets' }),
})
surface.assetOverview.update({
  component: lazyRouteComponent(() => import('#routes/host-overview-page.tsx'), 'HostOverviewScreen'),
})
surface.assetTechnologies.update({
  component: lazyRouteComponent(() => import('#hosts/host-technologies.tsx'), 'HostTechnologiesPage'),
})

surface.assetSoftware.update({
  component: lazyRouteComponent(() => import('#routes/host-software-page.tsx'), 'HostSoftwareScreen'),
})

surface.technologies.update({
  component: lazyRouteComponent(() => import('#products/product-list.tsx'), 'ProductListPage'),
})
surface.technology.update({
  component: lazyRouteComponent(() => import('#routes/product-page.tsx'), 'ProductScreen'),
  pendingComponent: pending.PendingTechnology,
  errorComponent: errorScreenOf('technology', { to: '/technologies', label: 'See all technologies' }),
})

routes.scans.update({ component: lazyRouteComponent(() => import('#scans/scan-list.tsx'), 'ScanListPage') })
routes.scan.update({
  component: lazyRouteComponent(() => import('#routes/scan-page.tsx'), 'ScanScreen'),
  pendingComponent: pending.PendingScan,
  errorComponent: errorScreenOf('scan', { to: '/scans', label: 'See all scans' }),
})
