/** Creates the router: preloading, pending delays, caching and scroll restoration. */
import type { QueryClient } from '@tanstack/react-query'
import { createRouter, type RouterHistory } from '@tanstack/react-router'
import { parseSearch, stringifySearch } from '#lib/search-params.ts'
import { appBranch } from '#routes/app.ts'
import { ErrorScreen } from '#routes/error-screen.tsx'
import { publicBranch } from '#routes/public.tsx'
import { redirects } from '#routes/redirects.ts'
import { rootRoute } from '#routes/root.tsx'
import '#routes/screens.tsx'
import { PageSkeleton } from '#ui/skeleton.tsx'

const minuteMs = 60_000

/**
 * Times in milliseconds. Scroll positions are saved when leaving a page, not while scrolling, and last for the
 * session.
 */
export const routerDefaults = {
  defaultPreload: 'intent',
  defaultPreloadDelay: 50,
  defaultPreloadStaleTime: 30_000,
  defaultPendingMs: 1000,
  defaultPendingMinMs: 500,
  defaultGcTime: 5 * minuteMs,
  defaultPreloadGcTime: 5 * minuteMs,
  scrollRestoration: true,
} as const

/** Creates a router on the browser's history, or on the given one. */
export function createPortalRouter(queryClient: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree: rootRoute.addChildren([publicBranch, appBranch, ...redirects]),
    context: { queryClient },
    ...(history && { history }),
    ...routerDefaults,
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

/** Fallback for routes without their own not-found view. */
function NotFoundFallback() {
  return <p className="p-8">Not Found</p>
}
