import { Outlet, useRouter } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { useSession } from '#identity/session.ts'
import { useSmallScreen } from '#lib/small-screen.ts'
import { useStoredFlag } from '#lib/storage.ts'
import { ServerUnreachableNote } from '#shell/server-unreachable-note.tsx'
import { useLiveUpdates } from '#shell/live-updates.ts'
import { Sidebar } from '#shell/sidebar.tsx'
import { ShortcutOverlays } from '#shell/shortcut-overlays.tsx'
import { TopBar } from '#shell/top-bar.tsx'
import { UpgradeBanner } from '#shell/upgrade-banner.tsx'

/** The app frame: navigation, account menu, and the current page. */
export function AppShell() {
  const session = useSession()
  // On a phone, rendering the page in the same task would block it for a third of a second.
  const isFramePainted = useDeferredValue(true, false)
  const isUnreachable = useLiveUpdates()
  useRetryWhenReachable(isUnreachable)
  const [isNarrow, setIsNarrow] = useStoredFlag('sidebarCollapsed')
  const isSmall = useSmallScreen()
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  if (!session) return null
  return (
    <div data-sidebar={isNarrow ? 'collapsed' : 'expanded'} className="flex min-h-dvh">
      <a
        href="#content"
        inert={isMenuOpen}
        className="fixed -top-15 left-3 z-(--gl-z-tooltip) rounded-md bg-invert px-3.5 py-2 font-medium text-on-invert focus:top-3"
      >
        Skip to content
      </a>
      {/* Not rendered on small screens, where its links would double the rendering cost of a page. */}
      {!isSmall && <Sidebar session={session} isNarrow={isNarrow} onToggle={() => setIsNarrow(!isNarrow)} />}
      <div className="relative flex min-h-dvh min-w-0 flex-1 flex-col">
        <TopBar session={session} isOpen={isMenuOpen} onOpen={setIsMenuOpen} />
        <div inert={isMenuOpen} className="flex flex-1 flex-col">
          <ServerUnreachableNote isUnreachable={isUnreachable} />
          <UpgradeBanner />
          <main id="content" tabIndex={-1} className="pg flex flex-1 flex-col">
            {isFramePainted && <Outlet />}
          </main>
        </div>
      </div>
      <ShortcutOverlays />
    </div>
  )
}

/** Retries a page with missing chunks when the server is reachable again. */
function useRetryWhenReachable(isUnreachable: boolean): void {
  const router = useRouter()
  const wasUnreachable = useRef(false)
  useEffect(() => {
    if (wasUnreachable.current && !isUnreachable) void router.invalidate()
    wasUnreachable.current = isUnreachable
  }, [isUnreachable, router])
}
