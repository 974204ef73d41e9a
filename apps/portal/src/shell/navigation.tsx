/** The places of the product, in the order of the sidebar. A place stands here once its page exists. */
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
} from 'lucide-react'
import type { LinkProps } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'

export interface Place {
  readonly label: string
  readonly to: NonNullable<LinkProps['to']>
  readonly icon: LucideIcon
  /** Shows what the rest of the product knows of it. */
  readonly signal?: 'verified' | 'potential' | 'scanning'
}
export interface PlaceGroup {
  readonly label: string
  readonly places: readonly Place[]
}

export const overviewPlace: Place = { label: 'Overview', to: '/overview', icon: LayoutDashboard }

export const placeGroups: readonly PlaceGroup[] = [
  {
    label: 'Risks',
    places: [
      { label: 'Verified', to: '/risks/verified', icon: ShieldAlert, signal: 'verified' },
      { label: 'Potential', to: '/risks/potential', icon: ShieldQuestionMark, signal: 'potential' },
      { label: 'Visual Map', to: '/risks/visual', icon: Waypoints },
    ],
  },
  {
    label: 'Attack Surface',
    places: [
      { label: 'Scope', to: '/scope', icon: Crosshair },
      { label: 'Agents', to: '/agents', icon: RadioTower },
      { label: 'Assets', to: '/assets', icon: Server },
      { label: 'Technologies', to: '/technologies', icon: Layers },
    ],
  },
  {
    label: 'Insights',
    places: [
      { label: 'Reporting', to: '/scans', icon: FileChartColumn, signal: 'scanning' },
      { label: 'Integrations', to: '/integrations', icon: Blocks },
    ],
  },
]
