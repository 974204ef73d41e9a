import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { ToastRegion } from '#ui/toasts.tsx'

export interface RouterContext {
  readonly queryClient: QueryClient
}

/** The root route: the matched page and the toasts. */
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
