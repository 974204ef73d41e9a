/** The router with its habits: when it preloads, waits, remembers and restores. */
import type { QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter, lazyRouteComponent, type RouterHistory } from '@tanstack/react-router'
import { parseSearch, stringifySearch } from '#lib/search-params.ts'
import { appBranch } from '#routes/app.ts'
import { ErrorScreen } from '#routes/error-screen.tsx'
import { publicBranch } from '#routes/public.tsx'
import { redirects } from '#routes/redirects.ts'
import { rootRoute } from '#routes/root.tsx'
import '#routes/screens.tsx'
import { PageSkeleton } from '#ui/skeleton.tsx'

const minuteMs = 60_000

/** Times in milliseconds. Scroll positions are noted when a page is left, never while it scrolls, and live as long as the session. */
export const habits = {
  defaultPreload: 'intent',
  defaultPreloadDelay: 50,
  defaultPreloadStaleTime: 30_000,
  defaultPendingMs: 1000,
  defaultPendingMinMs: 500,
  defaultGcTime: 5 * minuteMs,
  defaultPreloadGcTime: 5 * minuteMs,
  scrollRestoration: true,
} as const

/** The interface kit, for those who build with it. */
const workshop = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => rootRoute,
        path: 'kit',
        component: lazyRouteComponent(() => import('#routes/kit-page.tsx'), 'KitPage'),
      }),
    ]
  : []

/** The router over the address bar, or over another history. */
export function createPortalRouter(queryClient: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree: rootRoute.addChildren([publicBranch, appBranch, ...redirects, ...workshop]),
    context: { queryClient },
    ...(history && { history }),
    ...habits,
    parseSearch,
    stringifySearch,
    defaultErrorComponent: ErrorScreen,
    defaultNotFoundComponent: NotFoundFallback,
    defaultPendingComponent: PageSkeleton,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPortalRouter>
  }
}

/** What a route shows that found nothing and says nothing of its own. */
function NotFoundFallback() {
  return <p className="p-8">Not Found</p>
}
