import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'
import { NotFoundScreen } from '#routes/not-found.tsx'
import { ToastRegion } from '#ui/toast-region.tsx'

export interface RouterContext {
  readonly queryClient: QueryClient
}

/** The root of every page: the page itself, and the notices above it. */
export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Root,
  notFoundComponent: NotFoundScreen,
})

function Root() {
  return (
    <>
      <Outlet />
      <ToastRegion />
    </>
  )
}
