import type { Session } from '@glacis/contract/identity'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  ArrowUpRight,
  Building2,
  ChevronsUpDown,
  CreditCard,
  LifeBuoy,
  LogOut,
  Monitor,
  Moon,
  ServerCog,
  Settings,
  Sun,
} from 'lucide-react'
import { fullName } from '#identity/session.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { chooseTheme, useTheme } from '#lib/theme.ts'
import { mine } from '#workspaces/queries.ts'
import { WorkspaceSwitcher } from '#shell/workspace-switcher.tsx'
import { Avatar } from '#ui/avatar.tsx'
import { Menu, type MenuPlace } from '#ui/menu.tsx'
import { MenuAction, MenuAnchor, MenuChoiceRow, MenuDivider, MenuLink } from '#ui/menu-entries.tsx'

/** For administrators. */
function InstallationLink() {
  const { data } = useQuery(mine())
  if (!data?.isAdministrator) return null
  return (
    <MenuLink to="/installation" icon={<ServerCog />}>
      Installation
    </MenuLink>
  )
}

const themeOptions = [
  { value: 'system', label: 'System', icon: <Monitor /> },
  { value: 'light', label: 'Light', icon: <Sun /> },
  { value: 'dark', label: 'Dark', icon: <Moon /> },
] as const

/** The signed-in user and the personal menu entries. */
export function AccountMenu({ session, shape }: { readonly session: Session; readonly shape: 'row' | 'tile' | 'bar' }) {
  const navigate = useNavigate()
  const theme = useTheme()
  const name = fullName(session)
  const { email } = session.identity.traits
  const places: Readonly<Record<typeof shape, MenuPlace>> = { row: 'top start', tile: 'top start', bar: 'bottom end' }
  return (
    <Menu
      label={shape === 'row' ? undefined : `Account: ${name}, ${email}`}
      place={places[shape]}
      widthClassName="w-66"
      buttonClassName={
        shape === 'bar'
          ? 'grid size-11 place-items-center rounded-md hover:bg-active'
          : 'flex w-full items-center gap-2.5 rounded-[8px] px-2 py-1.5 text-left hover:bg-active data-open:bg-active collapsed:justify-center collapsed:px-1.5'
      }
      button={
        <>
          {shape === 'row' && <span className="sr-only">Account:</span>}
          <Avatar name={name} />
          {shape === 'row' && (
            <>
              <span className="min-w-0 flex-1">
                <span className="block truncate leading-4.5 font-medium">{name}</span>
                <span className="block truncate text-12 text-ink-3">{email}</span>
              </span>
              <ChevronsUpDown aria-hidden="true" className="size-3.5 text-ink-3" />
            </>
          )}
        </>
      }
    >
      <div className="px-[9px] pt-[7px] pb-2">
        <p className="truncate font-semibold">{name}</p>
        <p className="truncate text-12 text-ink-3">{email}</p>
      </div>
      <MenuDivider />
      <WorkspaceSwitcher />
      {portalConfig().billing && (
        <MenuLink to="/subscription" icon={<CreditCard />}>
          Subscription
        </MenuLink>
      )}
      <MenuLink to="/profile" icon={<Settings />}>
        Settings
      </MenuLink>
      <MenuLink to="/workspace" icon={<Building2 />}>
        Workspace settings
      </MenuLink>
      <InstallationLink />
      <MenuAnchor
        href={portalConfig().helpUrl}
        target="_blank"
        rel="noreferrer"
        icon={<LifeBuoy />}
        end={<ArrowUpRight className="size-3.5!" />}
      >
        Get help
      </MenuAnchor>
      <MenuDivider />
      <MenuChoiceRow label="Theme" options={themeOptions} value={theme} onChoose={chooseTheme} />
      <MenuDivider />
      <MenuAction icon={<LogOut />} onClick={() => void navigate({ to: '/logout' })}>
        Logout
      </MenuAction>
    </Menu>
  )
}
