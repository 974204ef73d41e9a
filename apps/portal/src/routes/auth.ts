/** The route around everything that needs a session, and what its children share. */
import type { QueryClient } from '@tanstack/react-query'
import { createRoute } from '@tanstack/react-router'
import { firstAnswers, soon } from '#lib/early.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { readStored } from '#lib/storage.ts'
import { requireSession } from '#routes/guard.ts'
import { rootRoute } from '#routes/root.tsx'

/** `/_auth`: the shell around everything that needs a session. */
export const authRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: '_auth',
  beforeLoad: ({ context, location }) => requireSession(context.queryClient, location.href),
  loader: ({ context }) => planKnown(context.queryClient),
})
/** What every route behind the session is a child of. */
export const getParentRoute = () => authRoute

interface LoaderInput {
  readonly context: { readonly queryClient: QueryClient }
}
/** The loader of a page that begins with what was asked for before there was a program. */
export const begun =
  (load: (client: QueryClient) => Promise<unknown>) =>
  ({ context }: LoaderInput) =>
    firstAnswers(() => load(context.queryClient))

/** The plan's banner stands above the page and would move it. */
async function planKnown(client: QueryClient): Promise<void> {
  if (!portalConfig().billing || readStored('upgradeBannerDismissed') === 'true') return
  const { subscription } = await import('#billing/queries.ts')
  await soon(client.ensureQueryData(subscription()).catch(() => undefined)) // it has said so itself
}
