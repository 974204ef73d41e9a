/** The router of the public pages. */
import type { QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter, redirect, type RouterHistory } from '@tanstack/react-router'
import { publicBranch } from '#routes/public.tsx'
import { rootRoute } from '#routes/root.tsx'
import { routerOptions } from '#routes/router-options.tsx'

const appPages = createRoute({
  getParentRoute: () => rootRoute,
  path: '$',
  beforeLoad: ({ location }) => {
    throw redirect({ href: location.href, reloadDocument: true })
  },
})

/** Creates a router on the browser's history, or on the given one. Paths of the app reload the document. */
export function createPublicRouter(queryClient: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree: rootRoute.addChildren([publicBranch, appPages]),
    context: { queryClient },
    ...(history && { history }),
    ...routerOptions,
  })
}
