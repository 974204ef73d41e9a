/**
 * Every screen of the portal, named like its drawn picture: where it stands, who sees it, and what is
 * done there before it is looked at. Pictures, axe and the zoom story walk the same list.
 */
import { listAgents } from '@glacis/contract/agent'
import { listHosts } from '@glacis/contract/host'
import { listProducts } from '@glacis/contract/product'
import { listIssues } from '@glacis/contract/issue'
import { listScans } from '@glacis/contract/scan'
import { listTargets } from '@glacis/contract/target'
import type { Page } from 'playwright-core'
import type { Person, Visitor } from '../lab/visitor.ts'
import {
  accountMenu,
  arranged,
  askForCode,
  fail,
  fromInside,
  keyboardHelp,
  listRead,
  opensDialog,
  palette,
  press,
  preview,
  selectThree,
  twoToasts,
  waiting,
} from './screen-steps.ts'
import { open, openUnanswered } from './settled.ts'

export interface Screen {
  readonly name: string
  /** With `:risk`, `:scope` and such where the address names a thing that the account has. */
  readonly path: string
  /** Signed out, or somebody who has just come; else somebody with findings. */
  readonly as?: Watcher
  /** How the API behaves: it never answers, or it fails. */
  readonly api?: 'silent' | 'failing'
  /** Drawn at phone width too. */
  readonly phone?: boolean
  /** Exists at one of the widths alone. */
  readonly only?: 'phone' | 'desk'
  /** A menu is open, which floats outside every landmark. */
  readonly floats?: boolean
  /** Drawn in its whole length too. */
  readonly whole?: boolean
  /** What is done there; the page has settled before. */
  readonly before?: (page: Page) => Promise<unknown>
}
export type Watcher = 'person' | 'newcomer' | 'nobody'

/** What the addresses of screens name. @throws when the visitor's account lacks one of them */
export async function idsOf(visitor: Visitor) {
  const verification = 'VERIFICATION_FILTER_VERIFIED'
  const open = { verification, status: ['STATUS_FILTER_OPEN'] } as const
  const { issues } = await visitor.call(listIssues, {
    orderBy: 'ORDER_BY_PRIORITY',
    filter: { ...open, status: [...open.status] },
  })
  const { products } = await visitor.call(listProducts, { filter: { hasIssues: true } })
  return {
    risk: idOfFirst(issues),
    scope: idOfFirst((await visitor.call(listTargets, {})).targets),
    agent: idOfFirst((await visitor.call(listAgents, {})).agents),
    scan: idOfFirst((await visitor.call(listScans, {})).scans),
    asset: idOfFirst((await visitor.call(listHosts, {})).hosts),
    technology: idOfFirst(products),
  }
}
export type Ids = Awaited<ReturnType<typeof idsOf>>

function idOfFirst(entities: readonly { readonly id: string }[]): string {
  const [first] = entities
  if (!first) throw new Error('the account has nothing of a kind that a screen shows')
  return first.id
}

const publicScreens: readonly Screen[] = [
  { name: '00-index', path: '/', as: 'nobody' },
  { name: '01-login', path: '/login', as: 'nobody', phone: true },
  { name: '02-registration', path: '/registration', as: 'nobody' },
  { name: '03-recovery', path: '/recovery', as: 'nobody', before: askForCode },
  { name: '03a-recovery-address', path: '/recovery', as: 'nobody' },
  { name: '03b-verification', path: '/verification', as: 'nobody' },
  { name: '25-flow-error', path: '/error?id=none', as: 'nobody' },
  { name: '31-help', path: '/docs/help', as: 'nobody' },
]

const riskScreens: readonly Screen[] = [
  { name: '04-overview', path: '/overview', phone: true, whole: true },
  { name: '04b-mobile-menu', path: '/overview', phone: true, only: 'phone', before: press('Open menu') },
  { name: '05-onboarding', path: '/onboarding?step=agent', as: 'newcomer', before: fromInside },
  { name: '05b-onboarding-target', path: '/onboarding', as: 'newcomer' },
  { name: '05c-onboarding-list', path: '/onboarding', as: 'newcomer', before: listRead },
  { name: '06-risks-verified', path: '/risks/verified', phone: true, whole: true },
  { name: '06b-risks-bulk', path: '/risks/verified', only: 'desk', before: selectThree },
  { name: '06c-risks-potential', path: '/risks/potential' },
  { name: '06d-risks-preview', path: '/risks/verified', before: preview },
  { name: '06e-risks-ignore', path: '/risks/:risk', before: opensDialog('Ignore') },
  { name: '07-risk-detail', path: '/risks/:risk', phone: true, whole: true },
  { name: '07b-palette', path: '/overview', before: palette },
  { name: '07c-keyboard', path: '/overview', before: keyboardHelp },
  { name: '08-visual-map', path: '/risks/visual', phone: true, before: arranged },
  { name: '08b-visual-map-table', path: '/risks/visual?view=table' },
]

const scopeScreens: readonly Screen[] = [
  { name: '09-scope', path: '/scope', phone: true },
  { name: '09b-free-plan-account-menu', path: '/scope', floats: true, before: accountMenu },
  { name: '10-scope-detail', path: '/scope/:scope' },
  { name: '10b-scope-scans', path: '/scope/:scope/scans' },
  { name: '10c-scope-issues', path: '/scope/:scope/issues' },
  { name: '10d-scope-assets', path: '/scope/:scope/assets' },
  { name: '11-create-target', path: '/scope?create=true' },
  { name: '12-agents', path: '/agents', phone: true },
  { name: '12b-agent-detail', path: '/agents/:agent', phone: true },
  { name: '12c-create-agent', path: '/agents?create=true' },
  { name: '14-assets', path: '/assets' },
  { name: '15-asset-detail', path: '/assets/:asset' },
  { name: '15b-asset-technologies', path: '/assets/:asset/technologies' },
  { name: '15c-asset-issues', path: '/assets/:asset/issues' },
  { name: '16-technologies', path: '/technologies' },
  { name: '17-technology-detail', path: '/technologies/:technology' },
]

const insightScreens: readonly Screen[] = [
  { name: '18-scans', path: '/scans' },
  { name: '19-scan-detail', path: '/scans/:scan' },
  { name: '19b-scan-changes', path: '/scans/:scan?tab=changes' },
  { name: '19c-scan-hosts', path: '/scans/:scan?tab=hosts' },
  { name: '19d-scan-log', path: '/scans/:scan?tab=log' },
  { name: '20-integrations', path: '/integrations' },
  { name: '21-subscription', path: '/subscription' },
  { name: '22-profile', path: '/profile', phone: true, whole: true },
  { name: '22b-password-dialog', path: '/profile', before: opensDialog('Change password') },
  { name: '23-two-factor', path: '/profile', before: opensDialog(/^(Set up|Turn on)/) },
  { name: '24-not-found', path: '/nowhere' },
  { name: '25-error', path: '/risks/:risk', api: 'failing', before: press('Show Error') },
  { name: '26-toasts', path: '/technologies', only: 'desk', before: twoToasts },
]

const listsOf = {
  risks: '/risks/verified',
  potential: '/risks/potential',
  scope: '/scope',
  agents: '/agents',
  assets: '/assets',
  technologies: '/technologies',
  scans: '/scans',
  overview: '/overview',
  map: '/risks/visual',
  integrations: '/integrations',
} as const

/** The lists with nothing in them, on their way, and failed. The drawn three have the drawn names. */
const stateScreens: readonly Screen[] = Object.entries(listsOf).flatMap(([what, path]): Screen[] => {
  const suffix = what === 'risks' ? '' : `-${what}`
  return [
    { name: what === 'scope' ? '28b-scope-empty' : `28-list-empty${suffix}`, path, as: 'newcomer' },
    { name: `27-list-loading${suffix}`, path, api: 'silent', before: waiting },
    { name: `29-list-error${suffix}`, path, api: 'failing' },
  ]
})

export const screens: readonly Screen[] = [
  ...publicScreens,
  ...riskScreens,
  ...scopeScreens,
  ...insightScreens,
  ...stateScreens,
]

/** Whether somebody meets the screen in a window of this width, in CSS pixels. */
export function isSeenBy({ as = 'person', only }: Screen, watcher: Watcher, width: number): boolean {
  return as === watcher && only !== (width < phoneBelow ? 'desk' : 'phone')
}
const phoneBelow = 832

/** Opens a screen in a page of somebody who may see it, and waits until it has settled. */
export async function show(page: Page, { path, api, before }: Screen, ids: Ids): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  if (api) await page.route('**/v1/**', api === 'silent' ? () => {} : fail)
  const goTo = api === 'silent' ? openUnanswered : open
  await goTo(
    page,
    path.replace(/:(\w+)/, (_, kind: keyof Ids) => ids[kind]),
  )
  await before?.(page)
}

/** Signs in on a page that belongs to nobody yet. */
export async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.goto('/login')
  await page.locator('input[name=identifier]').fill(email)
  await page.locator('input[name=password]').fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/overview/)
}
