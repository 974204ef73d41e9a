import { installValidationMessages } from '@glacis/contract/validation-messages'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type AnyRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from '#api/query.ts'
import { syncTabs } from '#api/tab-sync.ts'
import { loadConfig } from '#config.ts'
import { reloadOnMissingChunks } from '#lib/chunk-reload.ts'
import { blurPageTitle, focusPageTitle } from '#lib/focus.ts'
import { startShortcuts } from '#lib/keyboard.ts'
import { followTheme } from '#lib/theme.ts'
import { UnexpectedError } from '#ui/states.tsx'
import '#styles/app.css'

/** Loads the configuration, then renders the router into `#root`. */
export async function startPortal(createRouter: (queryClient: QueryClient) => AnyRouter): Promise<void> {
  const place = document.getElementById('root')
  if (!place) return
  reloadOnMissingChunks()
  followTheme()
  installValidationMessages()
  const root = createRoot(place)
  try {
    await loadConfig()
    const queryClient = createQueryClient()
    const router = createRouter(queryClient)
    // The guards request the session before the router loads page code: load both at the same time.
    const [matchedRoutes] = router.getMatchedRoutes(router.latestLocation.pathname)
    for (const route of matchedRoutes) void router.loadRouteChunk(route)
    syncTabs(queryClient)
    router.subscribe('onBeforeRouteMount', ({ pathChanged }) => {
      if (pathChanged) blurPageTitle()
    })
    router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
      if (pathChanged && fromLocation) focusPageTitle()
    })
    startShortcuts((href) => router.navigate({ href }))
    root.render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </StrictMode>,
    )
  } catch (error) {
    root.render(<UnexpectedError error={error} onRetry={() => location.reload()} />)
  }
}
