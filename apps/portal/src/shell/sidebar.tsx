import type { Session } from '@glacis/contract/identity'
import { Link } from '@tanstack/react-router'
import { PanelLeft } from 'lucide-react'
import { cx } from '#lib/cx.ts'
import { AccountMenu } from '#shell/account-menu.tsx'
import { NavList } from '#shell/nav-list.tsx'
import { SearchButton } from '#shell/search-button.tsx'
import { Brand } from '#ui/brand.tsx'
import { IconButton } from '#ui/button.tsx'

/** The sidebar: 18rem wide, or 4rem with icons only. */
export function Sidebar({
  session,
  isNarrow,
  onToggle,
}: {
  readonly session: Session
  readonly isNarrow: boolean
  readonly onToggle: () => void
}) {
  const toggle = (
    <IconButton
      size="sm"
      label={isNarrow ? 'Expand sidebar' : 'Collapse sidebar'}
      aria-expanded={!isNarrow}
      icon={<PanelLeft />}
      onClick={onToggle}
    />
  )
  return (
    <aside
      aria-label="Sidebar"
      className={cx(
        'sticky top-0 z-(--gl-z-sidebar) hidden h-dvh flex-none flex-col border-r border-line bg-canvas md:flex',
        isNarrow ? 'w-16' : 'w-72',
      )}
    >
      <div
        className={cx('flex h-15 flex-none items-center', isNarrow ? 'justify-center' : 'justify-between pr-3 pl-5')}
      >
        <Link to="/overview" aria-label="Glacis, overview">
          <Brand short={isNarrow} />
        </Link>
        {!isNarrow && (
          <span className="flex gap-1">
            <SearchButton size="sm" />
            {toggle}
          </span>
        )}
      </div>
      <NavList shape={isNarrow ? 'narrow' : 'wide'} />
      {isNarrow && (
        <div className="flex flex-col items-center gap-1 pb-2">
          <SearchButton size="sm" />
          {toggle}
        </div>
      )}
      <div className="border-t border-line px-3 pt-2 pb-3">
        <AccountMenu session={session} shape={isNarrow ? 'tile' : 'row'} />
      </div>
    </aside>
  )
}
