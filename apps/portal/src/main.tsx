/** The page starts here: configuration first, then the router with everything it needs. */
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { startTransition, StrictMode } from 'react'
import { followOtherTabs } from '#api/other-tabs.ts'
import { createQueryClient } from '#api/query.ts'
import { loadConfig } from '#config.ts'
import { hasArrived } from '#lib/arrival.ts'
import { nextTask } from '#lib/first-paint.ts'
import { focusPageTitle, leavePageTitle } from '#lib/focus.ts'
import { startShortcuts } from '#lib/keyboard.ts'
import { createRoot } from '#lib/react-root.ts'
import { followTheme } from '#lib/theme.ts'
import { speakOwnMessages } from '@glacis/contract/validation-messages'
import { createPortalRouter } from '#routes/router.tsx'
import { UnexpectedError } from '#ui/states.tsx'

const patienceMs = 300

export async function start(place: HTMLElement): Promise<void> {
  followTheme()
  speakOwnMessages()
  const root = createRoot(place)
  try {
    await loadConfig()
    const queryClient = createQueryClient()
    followOtherTabs(queryClient)
    await nextTask()
    const router = createPortalRouter(queryClient)
    await nextTask()
    router.subscribe('onBeforeRouteMount', ({ pathChanged }) => {
      if (pathChanged) leavePageTitle()
    })
    router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
      if (pathChanged && fromLocation) focusPageTitle()
      document.getElementById('frame')?.remove()
      hasArrived()
    })
    startShortcuts((href) => router.navigate({ href }))
    // The frame of the document stands until the page is known; then React builds that page bit by bit, whereas
    // what the router brings to a page that stands is built in one go, and nothing can be pressed meanwhile.
    // A page that takes longer shows what it waits for.
    await Promise.race([router.load(), new Promise((resume) => setTimeout(resume, patienceMs))])
    startTransition(() =>
      root.render(
        <StrictMode>
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </StrictMode>,
      ),
    )
  } catch (error) {
    root.render(<UnexpectedError error={error} onRetry={() => location.reload()} />)
  }
}
