import type { Session } from '@glacis/contract/identity'
import { Link } from '@tanstack/react-router'
import { Menu as MenuIcon, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { AccountMenu } from '#shell/account-menu.tsx'
import { NavList } from '#shell/nav-list.tsx'
import type { Signals } from '#shell/signals.ts'
import { Brand } from '#ui/brand.tsx'

/** The bar of small screens, and the menu that covers the page. Escape and the same button close it. */
export function TopBar({ session, signals }: { readonly session: Session; readonly signals: Signals }) {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    const close = (event: KeyboardEvent) => event.key === 'Escape' && setIsOpen(false)
    document.addEventListener('keydown', close)
    document.documentElement.classList.add('overflow-hidden')
    return () => {
      document.removeEventListener('keydown', close)
      document.documentElement.classList.remove('overflow-hidden')
    }
  }, [isOpen])
  return (
    <>
      <header className="sticky top-0 z-(--gl-z-topbar) flex h-14 flex-none items-center gap-1 border-b border-line bg-canvas px-2 md:hidden">
        <button
          type="button"
          aria-label={isOpen ? 'Close menu' : 'Open menu'}
          aria-expanded={isOpen}
          aria-controls="small-menu"
          onClick={() => setIsOpen(!isOpen)}
          className="grid size-11 place-items-center rounded-md text-ink-2 hover:bg-active hover:text-ink [&_.lucide]:size-4.5"
        >
          {isOpen ? <X /> : <MenuIcon />}
        </button>
        <Link to="/overview" aria-label="Glacis, overview" className="ml-1">
          <Brand />
        </Link>
        <span className="ml-auto">
          <AccountMenu session={session} shape="bar" />
        </span>
      </header>
      {isOpen && (
        <div
          id="small-menu"
          className="fixed inset-x-0 top-14 bottom-0 z-(--gl-z-topbar) overflow-y-auto bg-surface pb-8 md:hidden"
        >
          <NavList shape="touch" signals={signals} onGo={() => setIsOpen(false)} />
        </div>
      )}
    </>
  )
}
