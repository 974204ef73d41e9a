/** The layout route of everything that requires a session, and helpers for its children. */
import type { QueryClient } from '@tanstack/react-query'
import { createRoute } from '@tanstack/react-router'
import { portalConfig } from '#lib/portal-config.ts'
import { requireSession } from '#routes/guard.ts'
import { rootRoute } from '#routes/root.tsx'

/** `/_auth`: the app shell. */
export const authRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: '_auth',
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
  // The plan banner is above every page; loading it late would shift the page.
  loader: async ({ context }) => {
    if (!portalConfig().billing) return
    const { subscription } = await import('#billing/queries.ts')
    await context.queryClient.ensureQueryData(subscription()).catch(() => undefined) // the API call has shown a toast
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
