/** Options of both routers: preloading, pending delays, caching, and scroll restoration. */
import { parseSearch, stringifySearch } from '#lib/search-params.ts'
import { ErrorScreen } from '#routes/error-screen.tsx'
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

export const routerOptions = {
  ...routerDefaults,
  parseSearch,
  stringifySearch,
  defaultErrorComponent: ErrorScreen,
  defaultNotFoundComponent: NotFoundFallback,
  defaultPendingComponent: PageSkeleton,
}

/** Fallback for routes without their own not-found view. */
function NotFoundFallback() {
  return <p className="p-8">Not Found</p>
}
