/** The layout route of everything that requires a session, and helpers for its children. */
import type { QueryClient } from '@tanstack/react-query'
import { createRoute } from '@tanstack/react-router'
import { subscription } from '#billing/queries.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { current as currentWorkspace } from '#workspaces/queries.ts'
import { requireSession } from '#routes/guard.ts'
import { rootRoute } from '#routes/root.tsx'

/** `/_auth`: the app shell. */
export const authRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: '_auth',
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
  // The shell shows these on every page. It doesn't wait for them.
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(currentWorkspace())
    if (portalConfig().billing) void queryClient.prefetchQuery(subscription())
  },
})
/** The parent of all routes that require a session. */
export const getParentRoute = () => authRoute

interface LoaderInput {
  readonly context: { readonly queryClient: QueryClient }
  readonly location: { readonly searchStr: string }
}
/**
 * The loader of a list: starts its first query while the page's code loads, without blocking navigation, because the
 * page has its own loading state. Filters in the address change the query, which is then left to the page.
 */
export const prefetching =
  (load: (client: QueryClient) => Promise<unknown>) =>
  ({ context, location }: LoaderInput): void => {
    // Code that can't be loaded is reported by the page, which needs it too.
    if (location.searchStr === '') load(context.queryClient).catch(() => undefined)
  }
