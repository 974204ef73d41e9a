/**
 * All screens of the portal, named like their screenshots: path, user, and the interactions that lead to the state to
 * check. Used by the screenshots and the axe and zoom tests.
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
  asViewer,
  checkableFeeds,
  fail,
  formOpened,
  fromInside,
  invited,
  keyboardHelp,
  listRead,
  mention,
  opensDialog,
  palette,
  press,
  preview,
  removed,
  selectThree,
  twoToasts,
  waiting,
} from './screen-steps.ts'
import { open, openPendingPage } from './page-ready.ts'

export interface Screen {
  readonly name: string
  /** May contain placeholders such as `:risk` or `:scope` for IDs of the account. */
  readonly path: string
  /** Signed out, a new user, or (by default) a user with findings. */
  readonly as?: Watcher
  /** API behavior: never responds, or fails. */
  readonly api?: 'silent' | 'failing'
  /** Also captured at phone width. */
  readonly phone?: boolean
  /** Only exists at one width. */
  readonly only?: 'phone' | 'desk'
  /** Has an open menu, which floats above the page. */
  readonly floats?: boolean
  /** Also captured at full length. */
  readonly whole?: boolean
  /** Interactions after the page has loaded. */
  readonly before?: (page: Page) => Promise<unknown>
}
export type Watcher = 'person' | 'newcomer' | 'anonymous'

/**
 * IDs for the placeholders in paths.
 *
 * @throws if the visitor's account has no item of a kind
 */
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
  if (!first) throw new Error('the account has no item of a kind that a screen shows')
  return first.id
}

const publicScreens: readonly Screen[] = [
  { name: '00-index', path: '/', as: 'anonymous' },
  { name: '01-login', path: '/login', as: 'anonymous', phone: true },
  { name: '02-registration', path: '/registration', as: 'anonymous' },
  { name: '03-recovery', path: '/recovery', as: 'anonymous', before: askForCode },
  { name: '03a-recovery-address', path: '/recovery', as: 'anonymous' },
  { name: '03b-verification', path: '/verification', as: 'anonymous' },
  { name: '25-flow-error', path: '/error?id=none', as: 'anonymous' },
  { name: '31-help', path: '/docs/help', as: 'anonymous' },
]

const riskScreens: readonly Screen[] = [
  { name: '04-overview', path: '/overview', phone: true, whole: true },
  { name: '04c-overview-feeds', path: '/overview', before: checkableFeeds },
  { name: '04b-mobile-menu', path: '/overview', phone: true, only: 'phone', before: press('Open menu') },
  { name: '05-onboarding', path: '/onboarding?step=agent', as: 'newcomer', before: fromInside },
  { name: '05b-onboarding-target', path: '/onboarding', as: 'newcomer' },
  { name: '05c-onboarding-list', path: '/onboarding', as: 'newcomer', before: listRead },
  { name: '06-risks-verified', path: '/risks/verified', phone: true, whole: true },
  { name: '06b-risks-bulk', path: '/risks/verified', only: 'desk', before: selectThree },
  { name: '06c-risks-potential', path: '/risks/potential' },
  { name: '06d-risks-preview', path: '/risks/verified', before: preview },
  { name: '06e-risks-ignore', path: '/risks/:risk', before: opensDialog('Ignore') },
  { name: '06f-risks-mine', path: '/risks/verified?mine=true' },
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
  { name: '11-create-target', path: '/scope?create=true', before: formOpened },
  { name: '12-agents', path: '/agents', phone: true },
  { name: '12b-agent-detail', path: '/agents/:agent', phone: true },
  { name: '12c-create-agent', path: '/agents?create=true', before: formOpened },
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

const teamScreens: readonly Screen[] = [
  { name: '32-workspace', path: '/workspace', phone: true, whole: true },
  { name: '32e-installation', path: '/installation', phone: true, whole: true },
  { name: '32b-invite', path: '/workspace', phone: true, before: opensDialog('Invite someone') },
  { name: '32c-provisioning-token', path: '/workspace', before: opensDialog('Create provisioning token') },
  { name: '32d-leave', path: '/workspace', before: opensDialog('Leave workspace') },
  { name: '32e-api-token', path: '/integrations', phone: true, before: opensDialog('Create token') },
  { name: '32f-assign', path: '/risks/:risk', floats: true, before: press(/^Assign$/) },
  { name: '32g-mention', path: '/risks/:risk', phone: true, floats: true, before: mention },
  { name: '32h-viewer', path: '/risks/:risk', phone: true, before: asViewer },
  { name: '33-invitation', path: '/invitation?token=none', phone: true, before: invited },
  { name: '33b-invitation-rejected', path: '/invitation?token=none', phone: true },
  { name: '34-access-lost', path: '/overview', phone: true, before: removed },
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

/** Every list when empty, loading, and failed. */
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
  ...teamScreens,
  ...stateScreens,
]

/** Whether a user sees this screen at a window width in CSS pixels. */
export function isVisibleTo({ as = 'person', only }: Screen, watcher: Watcher, width: number): boolean {
  return as === watcher && only !== (width < phoneBelow ? 'desk' : 'phone')
}
const phoneBelow = 832

/** Opens a screen with the right session and waits until it is ready. */
export async function show(page: Page, { path, api, before }: Screen, ids: Ids): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  if (api) await page.route('**/v1/**', api === 'silent' ? () => {} : fail)
  const goTo = api === 'silent' ? openPendingPage : open
  await goTo(
    page,
    path.replace(/:(\w+)/, (_, kind: keyof Ids) => ids[kind]),
  )
  await before?.(page)
}

/** Signs in on a page without a session. */
export async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.goto('/login')
  await page.locator('input[name=identifier]').fill(email)
  await page.locator('input[name=password]').fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/overview/)
}
