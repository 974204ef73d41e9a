/** The entry point: loads the configuration, then renders the router. */
import { installValidationMessages } from '@glacis/contract/validation-messages'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { syncTabs } from '#api/tab-sync.ts'
import { createQueryClient } from '#api/query.ts'
import { loadConfig } from '#config.ts'
import { reloadOnMissingChunks } from '#lib/chunk-reload.ts'
import { focusPageTitle, blurPageTitle } from '#lib/focus.ts'
import { startShortcuts } from '#lib/keyboard.ts'
import { followTheme } from '#lib/theme.ts'
import { createPortalRouter } from '#routes/router.tsx'
import '#styles/app.css'
import { UnexpectedError } from '#ui/states.tsx'

async function start(place: HTMLElement): Promise<void> {
  reloadOnMissingChunks()
  followTheme()
  installValidationMessages()
  const root = createRoot(place)
  try {
    const queryClient = createQueryClient()
    const router = createPortalRouter(queryClient)
    // The guards request the session before the router loads page code: load both at the same time.
    const [matchedRoutes] = router.getMatchedRoutes(router.latestLocation.pathname)
    for (const route of matchedRoutes) void router.loadRouteChunk(route)
    await loadConfig()
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

const place = document.getElementById('root')
if (place) await start(place)
