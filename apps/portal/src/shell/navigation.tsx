/** The entries of the sidebar, in order. Only existing pages are listed. */
import {
  Blocks,
  Crosshair,
  FileChartColumn,
  Layers,
  LayoutDashboard,
  RadioTower,
  Server,
  ShieldAlert,
  ShieldQuestionMark,
  Waypoints,
  type LucideIcon,
} from 'lucide-react'
import type { LinkProps } from '@tanstack/react-router'

export interface NavEntry {
  readonly label: string
  readonly to: NonNullable<LinkProps['to']>
  readonly icon: LucideIcon
  /** The live signal to show beside the entry. */
  readonly signal?: 'verified' | 'potential' | 'scanning'
}
export interface NavSection {
  readonly label: string
  readonly entries: readonly NavEntry[]
}

export const overviewEntry: NavEntry = { label: 'Overview', to: '/overview', icon: LayoutDashboard }

export const navSections: readonly NavSection[] = [
  {
    label: 'Risks',
    entries: [
      { label: 'Verified', to: '/risks/verified', icon: ShieldAlert, signal: 'verified' },
      { label: 'Potential', to: '/risks/potential', icon: ShieldQuestionMark, signal: 'potential' },
      { label: 'Visual Map', to: '/risks/visual', icon: Waypoints },
    ],
  },
  {
    label: 'Attack Surface',
    entries: [
      { label: 'Scope', to: '/scope', icon: Crosshair },
      { label: 'Agents', to: '/agents', icon: RadioTower },
      { label: 'Assets', to: '/assets', icon: Server },
      { label: 'Technologies', to: '/technologies', icon: Layers },
    ],
  },
  {
    label: 'Insights',
    entries: [
      { label: 'Reporting', to: '/scans', icon: FileChartColumn, signal: 'scanning' },
      { label: 'Integrations', to: '/integrations', icon: Blocks },
    ],
  },
]
