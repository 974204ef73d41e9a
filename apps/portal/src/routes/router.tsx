/** The router of the app. */
import type { QueryClient } from '@tanstack/react-query'
import { createRouter, type RouterHistory } from '@tanstack/react-router'
import { rememberList } from '#lib/last-list.ts'
import { appBranch } from '#routes/app.ts'
import { publicBranch } from '#routes/public.tsx'
import { redirects } from '#routes/redirects.ts'
import { rootRoute } from '#routes/root.tsx'
import { routerOptions } from '#routes/router-options.tsx'
import '#routes/screens.tsx'

/** Creates a router on the browser's history, or on the given one. */
export function createPortalRouter(queryClient: QueryClient, history?: RouterHistory) {
  const router = createRouter({
    routeTree: rootRoute.addChildren([publicBranch, appBranch, ...redirects]),
    context: { queryClient },
    ...(history && { history }),
    ...routerOptions,
  })
  router.subscribe('onResolved', ({ toLocation }) => rememberList(toLocation))
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPortalRouter>
  }
}
