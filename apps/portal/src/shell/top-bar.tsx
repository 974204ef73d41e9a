import type { Session } from '@glacis/contract/identity'
import { Link } from '@tanstack/react-router'
import { Menu as MenuIcon, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { AccountMenu } from '#shell/account-menu.tsx'
import { useSmallScreen } from '#lib/small-screen.ts'
import { NavList } from '#shell/nav-list.tsx'
import { SearchButton } from '#shell/search-button.tsx'
import { Brand } from '#ui/brand.tsx'

interface TopBarProps {
  readonly session: Session
  readonly isOpen: boolean
  /** The page must be inert while the open menu covers it. */
  readonly onOpen: (isOpen: boolean) => void
}

/** The top bar of small screens, with a menu that covers the page. Escape or the same button closes it. */
export function TopBar({ session, isOpen, onOpen }: TopBarProps) {
  const button = useRef<HTMLButtonElement>(null)
  const isSmall = useSmallScreen()
  useEffect(() => {
    if (!isOpen) return
    // A wider screen shows the sidebar and no button to close this menu.
    if (!isSmall) return onOpen(false)
    const close = (event: KeyboardEvent) => {
      // An open dropdown of the bar handles Escape itself.
      if (event.key !== 'Escape' || event.defaultPrevented) return
      onOpen(false)
      button.current?.focus()
    }
    document.addEventListener('keydown', close)
    document.documentElement.classList.add('overflow-hidden')
    return () => {
      document.removeEventListener('keydown', close)
      document.documentElement.classList.remove('overflow-hidden')
    }
  }, [isOpen, isSmall, onOpen])
  return (
    <>
      <header className="sticky top-0 z-(--gl-z-topbar) flex h-14 flex-none items-center gap-1 border-b border-line bg-canvas px-2 md:hidden">
        <button
          ref={button}
          type="button"
          aria-label={isOpen ? 'Close menu' : 'Open menu'}
          aria-expanded={isOpen}
          aria-controls="small-menu"
          onClick={() => onOpen(!isOpen)}
          className="grid size-11 place-items-center rounded-md text-ink-2 hover:bg-active hover:text-ink [&_.lucide]:size-4.5"
        >
          {isOpen ? <X /> : <MenuIcon />}
        </button>
        <Link to="/overview" aria-label="Glacis, overview" className="ml-1">
          <Brand />
        </Link>
        <span className="ml-auto flex items-center gap-1">
          <SearchButton className="size-11! [&_.lucide]:size-4.5!" />
          <AccountMenu session={session} shape="bar" />
        </span>
      </header>
      {isOpen && (
        <div
          id="small-menu"
          className="fixed inset-x-0 top-14 bottom-0 z-(--gl-z-topbar) overflow-y-auto bg-surface pb-8 md:hidden"
        >
          <NavList shape="touch" onGo={() => onOpen(false)} />
        </div>
      )}
    </>
  )
}
