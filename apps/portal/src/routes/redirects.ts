/** Redirects from URLs of earlier versions, and from `/_auth/…`, which is sometimes mistaken for part of the URL. */
import { createRoute, redirect } from '@tanstack/react-router'
import { rootRoute } from '#routes/root.tsx'
import { CreateSearch, strictSearch } from '#routes/search.ts'

const getParentRoute = () => rootRoute

const dashboard = createRoute({
  getParentRoute,
  path: 'dashboard',
  beforeLoad: () => {
    throw redirect({ to: '/overview', replace: true })
  },
})
const targets = createRoute({
  getParentRoute,
  path: 'targets',
  validateSearch: strictSearch(CreateSearch),
  beforeLoad: ({ search: { create } }) => {
    throw redirect({ to: '/scope', search: { create }, replace: true })
  },
})
const target = createRoute({
  getParentRoute,
  path: 'targets/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/scope/$id', params, replace: true })
  },
})
const targetScans = createRoute({
  getParentRoute,
  path: 'targets/$id/scans',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/scope/$id/scans', params, replace: true })
  },
})
const targetIssues = createRoute({
  getParentRoute,
  path: 'targets/$id/issues',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/scope/$id/issues', params, replace: true })
  },
})
const issues = createRoute({
  getParentRoute,
  path: 'issues',
  beforeLoad: () => {
    throw redirect({ to: '/risks/verified', replace: true })
  },
})
const issue = createRoute({
  getParentRoute,
  path: 'issues/$id',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/risks/$id', params, replace: true })
  },
})
const authPrefix = createRoute({
  getParentRoute,
  path: '_auth/$',
  beforeLoad: ({ location }) => {
    throw redirect({ href: location.href.replace(/^\/_auth\//, '/'), replace: true })
  },
})

export const redirects = [dashboard, targets, target, targetScans, targetIssues, issues, issue, authPrefix]
