/** Commands of the palette: pages and actions matched by text, and server search results. */
import type { ResultOf } from '@glacis/contract/endpoint'
import type { search, SearchKind } from '@glacis/contract/search'
import {
  Building2,
  CreditCard,
  Crosshair,
  FileChartColumn,
  Keyboard,
  KeyRound,
  Layers,
  LogOut,
  Monitor,
  Moon,
  Plus,
  RadioTower,
  Server,
  ServerCog,
  Settings,
  ShieldAlert,
  Sun,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { portalConfig } from '#lib/portal-config.ts'
import { denialOf } from '#lib/role.ts'
import { chooseTheme } from '#lib/theme.ts'
import { overviewEntry, navSections } from '#shell/navigation.tsx'

export interface Command {
  readonly key: string
  readonly name: string
  readonly subtitle?: string
  /** More words to find it by. */
  readonly keywords?: string
  readonly icon: ReactNode
  /** Exactly one of these is set. */
  readonly href?: string
  readonly run?: () => void
  readonly act?: 'help'
}
export interface CommandGroup {
  readonly title: string
  readonly commands: readonly Command[]
}

/** Pages and actions in which every word of the text is a prefix of some word; all of them without text. */
export function commandGroups(text: string, isAdministrator = false): CommandGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const isMatch = ({ name, subtitle = '', keywords = '' }: Command) => {
    const own = `${name} ${subtitle} ${keywords}`.toLowerCase().split(/\s+/)
    return words.every((word) => own.some((ownWord) => ownWord.startsWith(word)))
  }
  const groups = [
    { title: 'Pages', commands: pages(isAdministrator).filter(isMatch) },
    { title: 'Actions', commands: actions().filter(isMatch) },
  ]
  return groups.filter(({ commands }) => commands.length > 0)
}

function pages(isAdministrator: boolean): Command[] {
  const Overview = overviewEntry.icon
  return [
    { key: '/overview', name: overviewEntry.label, icon: <Overview />, href: '/overview' },
    ...navSections.flatMap((group) =>
      group.entries.map(({ label, to, icon: Icon }) => ({
        key: String(to),
        name: group.label === 'Risks' && to !== '/risks/visual' ? `${label} risks` : label,
        subtitle: group.label,
        icon: <Icon />,
        href: String(to),
      })),
    ),
    {
      key: '/profile',
      name: 'Settings',
      subtitle: 'Profile',
      keywords: 'password passkeys two-factor 2fa sessions account',
      icon: <Settings />,
      href: '/profile',
    },
    {
      key: '/workspace',
      name: 'Workspace settings',
      subtitle: 'Members',
      keywords: 'users invite invitations roles sign-in sso audit log',
      icon: <Building2 />,
      href: '/workspace',
    },
    ...(isAdministrator
      ? [
          {
            key: '/installation',
            name: 'Installation',
            keywords: 'health doctor feeds queues accounts version',
            icon: <ServerCog />,
            href: '/installation',
          },
        ]
      : []),
    {
      key: 'api-tokens',
      name: 'API tokens',
      subtitle: 'Integrations',
      icon: <KeyRound />,
      href: '/integrations#api-tokens',
    },
    ...(portalConfig().billing
      ? [{ key: '/subscription', name: 'Subscription', icon: <CreditCard />, href: '/subscription' }]
      : []),
  ]
}

function actions(): Command[] {
  return [
    ...(denialOf('createTarget')
      ? []
      : [{ key: 'new-target', name: 'Add target', icon: <Plus />, href: '/scope?create=true' }]),
    { key: 'help', name: 'Keyboard shortcuts', subtitle: '?', icon: <Keyboard />, act: 'help' },
    { key: 'light', name: 'Light theme', icon: <Sun />, run: () => chooseTheme('light') },
    { key: 'dark', name: 'Dark theme', icon: <Moon />, run: () => chooseTheme('dark') },
    { key: 'system', name: 'System theme', icon: <Monitor />, run: () => chooseTheme('system') },
    { key: 'logout', name: 'Logout', icon: <LogOut />, href: '/logout' },
  ]
}

const kinds: Readonly<Record<SearchKind, { readonly title: string; readonly icon: ReactNode }>> = {
  KIND_ISSUE: { title: 'Risks', icon: <ShieldAlert /> },
  KIND_HOST: { title: 'Assets', icon: <Server /> },
  KIND_TARGET: { title: 'Targets', icon: <Crosshair /> },
  KIND_PRODUCT: { title: 'Technologies', icon: <Layers /> },
  KIND_SCAN: { title: 'Scans', icon: <FileChartColumn /> },
  KIND_AGENT: { title: 'Agents', icon: <RadioTower /> },
}

/** Server search results as command groups. */
export function searchGroups(response: ResultOf<typeof search> | undefined): CommandGroup[] {
  return (response?.groups ?? []).map(({ kind, items }) => ({
    title: kinds[kind].title,
    commands: items.map(({ id, name, subtitle, path }) => ({
      key: `${kind} ${id}`,
      name,
      subtitle,
      icon: kinds[kind].icon,
      href: path,
    })),
  }))
}
