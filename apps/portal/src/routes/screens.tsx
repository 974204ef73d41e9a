/**
 * Which screen stands on which route, and what is asked for before it shows. Each screen is a part of
 * the page of its own, loaded when somebody goes there.
 */
import { lazyRouteComponent } from '@tanstack/react-router'
import * as routes from '#routes/app.ts'

routes.authRoute.update({ component: lazyRouteComponent(() => import('#shell/app-shell.tsx'), 'AppShell') })

routes.overview.update({ component: lazyRouteComponent(() => import('#overview/overview.tsx'), 'OverviewPage') })

routes.profile.update({ component: lazyRouteComponent(() => import('#routes/profile-page.tsx'), 'ProfilePage') })

const riskList = () => import('#issues/risk-list.tsx')
routes.risksVerified.update({
  component: lazyRouteComponent(async () => {
    const { IssueListPage } = await riskList()
    return { Verified: () => <IssueListPage verification="VERIFICATION_VERIFIED" /> }
  }, 'Verified'),
})
routes.risksPotential.update({
  component: lazyRouteComponent(async () => {
    const { IssueListPage } = await riskList()
    return { Potential: () => <IssueListPage verification="VERIFICATION_UNVERIFIED" /> }
  }, 'Potential'),
})
routes.risk.update({
  component: lazyRouteComponent(() => import('#issues/issue-detail.tsx'), 'IssueDetailPage'),
})

const childLists = () => import('#issues/child-lists.tsx')
routes.targetIssues.update({ component: lazyRouteComponent(childLists, 'TargetIssuesPage') })
routes.assetIssues.update({ component: lazyRouteComponent(childLists, 'HostIssuesPage') })
