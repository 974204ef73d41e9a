import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { ToastRegion } from '#ui/toast-region.tsx'

export interface RouterContext {
  readonly queryClient: QueryClient
}

/** The root of every page: the page itself, and the notices above it. */
export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Root,
  notFoundComponent: lazyRouteComponent(() => import('#routes/not-found.tsx'), 'NotFoundScreen'),
})

function Root() {
  return (
    <>
      <Outlet />
      <ToastRegion />
    </>
  )
}
