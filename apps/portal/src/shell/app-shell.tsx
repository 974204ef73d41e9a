import { Outlet, useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useSession } from '#identity/session.ts'
import { whenIdle } from '#lib/idle.ts'
import { useSmallScreen } from '#lib/small-screen.ts'
import { useStoredFlag } from '#lib/storage.ts'
import { AwayNote } from '#shell/away-note.tsx'
import { useLive } from '#shell/live.ts'
import { Sidebar } from '#shell/sidebar.tsx'
import { Summons } from '#shell/summons.tsx'
import { TopBar } from '#shell/top-bar.tsx'
import { UpgradeBanner } from '#shell/upgrade-banner.tsx'
import { loadHeadless } from '#ui/headless.ts'

/** The frame of the product: where one can go, who is signed in, and the page. */
export function AppShell() {
  const session = useSession()
  const isAway = useLive()
  useTryAgain(isAway)
  useEffect(() => whenIdle(() => loadHeadless().catch(() => undefined)), []) // whoever opens something asks again
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
      {/* Its links cost a phone as much as what the page shows, and a small screen has no room for it. */}
      {!isSmall && <Sidebar session={session} isNarrow={isNarrow} onToggle={() => setIsNarrow(!isNarrow)} />}
      <div className="relative flex min-h-dvh min-w-0 flex-1 flex-col">
        <TopBar session={session} isOpen={isMenuOpen} onOpen={setIsMenuOpen} />
        <div inert={isMenuOpen} className="flex flex-1 flex-col">
          <AwayNote isAway={isAway} />
          <UpgradeBanner />
          <main id="content" tabIndex={-1} className="pg flex flex-1 flex-col">
            <Outlet />
          </main>
        </div>
      </div>
      <Summons />
    </div>
  )
}

/** A page of which a part could not be loaded is tried again when the server is back. */
function useTryAgain(isAway: boolean): void {
  const router = useRouter()
  const wasAway = useRef(false)
  useEffect(() => {
    if (wasAway.current && !isAway) void router.invalidate()
    wasAway.current = isAway
  }, [isAway, router])
}
