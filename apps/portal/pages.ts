/** Which modules are loaded where: read by the build alone. It follows `src/routes/screens.tsx`. */
import { getAgent, listAgentJobs, listAgents } from '@glacis/contract/agent'
import type { Endpoint, InputOf } from '@glacis/contract/endpoint'
import { listChannels } from '@glacis/contract/channel'
import { getEcosystem, getOnboarding, issuesBySeverity, statsSummary } from '@glacis/contract/insights'
import { getHost, hostTimeline, listHosts } from '@glacis/contract/host'
import { getProduct, listProducts } from '@glacis/contract/product'
import { getIssue, type IssueFilter, listIssues } from '@glacis/contract/issue'
import { toQueryString } from '@glacis/contract/query-string'
import { getScan, listScans } from '@glacis/contract/scan'
import { getTarget, listTargets } from '@glacis/contract/target'
import { listComments } from '@glacis/contract/triage'
import { allInput } from './src/agents/words.ts'
import { ecosystemInput } from './src/graph/search.ts'
import { hostsInput } from './src/hosts/search.ts'
import { issuesInput, standingInput } from './src/issues/search.ts'
import { type PageWords, pageWords } from './src/lib/page-words.ts'
import { statsInput, viewOf } from './src/overview/view.ts'
import { productsInput } from './src/products/search.ts'
import { scansInput } from './src/scans/search.ts'
import { targetsInput } from './src/targets/search.ts'

const shell = 'shell/app-shell.tsx'
const frame = 'routes/auth-frame.tsx'
const flow = 'routes/flow-pages.tsx'
const target = [shell, 'targets/target-detail.tsx', 'targets/queries.ts']
const asset = [shell, 'hosts/host-detail.tsx', 'hosts/queries.ts']
const id = '/[^/]+'

type Page = readonly [path: string, modules: readonly string[], words?: PageWords | null, first?: readonly string[]]

/** Stands for the second part of the page's path. */
const its = ':id'

/** Addresses that `early.js` asks for. */
function asks<E extends Endpoint>({ path }: E, input: Omit<InputOf<E>, 'id'>): readonly string[] {
  const query = toQueryString(input as Parameters<typeof toQueryString>[0]) // as calls of the contract are written
  return [query ? `${path}?${query.replaceAll(encodeURIComponent(its), its)}` : path]
}
const overview = [...asks(statsSummary, statsInput(viewOf({}))), ...asks(getOnboarding, {})]
// An empty list says what it is empty of by what was scanned.
const standing = asks(statsSummary, standingInput)
const verified = [...standing, ...asks(listIssues, issuesInput({}, 'VERIFICATION_VERIFIED'))]
const potential = [...standing, ...asks(listIssues, issuesInput({}, 'VERIFICATION_UNVERIFIED'))]
const map = asks(getEcosystem, ecosystemInput({}))
// The page of one thing begins with that and with what its tab shows of it: beside each other, not in turn.
const topRisks = (filter: IssueFilter, pageSize: number) =>
  asks(listIssues, { pageSize, filter, orderBy: 'ORDER_BY_PRIORITY' })
const isOpen = ['STATUS_FILTER_OPEN'] satisfies IssueFilter['status']
const hosts = (filter: { readonly targetId: string } | { readonly productId: string }) =>
  asks(listHosts, { pageSize: 25, filter })
const first = {
  risk: [...asks(getIssue, {}), ...asks(listComments, { pageSize: 100 })],
  target: [
    ...asks(getTarget, {}),
    ...topRisks({ affectedTargetId: its, status: isOpen }, 10),
    ...asks(issuesBySeverity, { period: 'PERIOD_QUARTER', filter: { affectedTargetId: its } }),
  ],
  targetScans: [...asks(getTarget, {}), ...asks(listScans, scansInput({ target: its }))],
  targetIssues: [...asks(getTarget, {}), ...asks(listIssues, issuesInput({ target: its }))],
  targetAssets: [...asks(getTarget, {}), ...hosts({ targetId: its })],
  agent: [
    ...asks(getAgent, {}),
    ...asks(listTargets, { pageSize: 100, filter: { agentId: its } }),
    ...asks(listAgentJobs, { pageSize: 20 }),
  ],
  asset: [
    ...asks(getHost, {}),
    ...topRisks({ affectedHostId: its, status: isOpen }, 10),
    ...asks(hostTimeline, { pageSize: 20 }),
  ],
  assetIssues: [...asks(getHost, {}), ...asks(listIssues, issuesInput({ asset: its }))],
  technology: [...asks(getProduct, {}), ...topRisks({ productId: its }, 25), ...hosts({ productId: its })],
  scan: [...asks(getScan, {}), ...topRisks({ scanId: its }, 100)],
}

/**
 * Paths as regular expressions, the modules that are loaded where they match, the words at the head where they are
 * known beforehand, and what the page asks first; the first match counts.
 */
export const pages: readonly Page[] = [
  ['/', [frame, 'identity/welcome.tsx']],
  ['/(login|registration|recovery|verification|error)', [frame, flow]],
  [
    '/overview',
    [shell, 'routes/overview-page.tsx', 'overview/queries.ts', 'overview/view.ts', 'onboarding/queries.ts'],
    pageWords.overview,
    overview,
  ],
  [
    '/onboarding',
    [shell, 'routes/onboarding-page.tsx', 'onboarding/queries.ts'],
    pageWords.onboarding,
    asks(getOnboarding, {}),
  ],
  ['/profile', [shell, 'routes/profile-page.tsx'], pageWords.profile],
  ['/subscription', [shell, 'billing/subscription.tsx', 'billing/queries.ts'], pageWords.subscription],
  [
    '/integrations',
    [shell, 'channels/integrations.tsx', 'channels/queries.ts'],
    pageWords.integrations,
    asks(listChannels, {}),
  ],
  [
    '/risks/verified',
    [shell, 'issues/risk-list.tsx', 'scans/start-scan.tsx', 'issues/queries.ts'],
    pageWords.verified,
    verified,
  ],
  [
    '/risks/potential',
    [shell, 'issues/risk-list.tsx', 'scans/start-scan.tsx', 'issues/queries.ts'],
    pageWords.potential,
    potential,
  ],
  ['/risks/visual', [shell, 'graph/visual-map.tsx', 'graph/queries.ts'], pageWords.map, map],
  [`/risks${id}`, [shell, 'issues/issue-detail.tsx', 'issues/queries.ts'], null, first.risk],
  [
    '/scope',
    [shell, 'targets/target-list.tsx', 'targets/queries.ts'],
    pageWords.scope,
    asks(listTargets, targetsInput({})),
  ],
  [`/scope${id}`, [...target, 'routes/target-overview-page.tsx'], null, first.target],
  [`/scope${id}/scans`, [...target, 'scans/target-scans.tsx'], null, first.targetScans],
  [`/scope${id}/issues`, [...target, 'issues/child-lists.tsx'], null, first.targetIssues],
  [`/scope${id}/assets`, [...target, 'hosts/child-lists.tsx'], null, first.targetAssets],
  ['/agents', [shell, 'agents/agent-list.tsx', 'agents/queries.ts'], pageWords.agents, asks(listAgents, allInput)],
  [`/agents${id}`, [shell, 'routes/agent-page.tsx', 'agents/queries.ts'], null, first.agent],
  [
    '/assets',
    [shell, 'hosts/host-list.tsx', 'hosts/queries.ts', 'issues/queries.ts'],
    pageWords.assets,
    [...standing, ...asks(listHosts, hostsInput({}))],
  ],
  [`/assets${id}`, [...asset, 'routes/host-overview-page.tsx'], null, first.asset],
  [`/assets${id}/technologies`, [...asset, 'hosts/host-technologies.tsx'], null, asks(getHost, {})],
  [`/assets${id}/issues`, [...asset, 'issues/child-lists.tsx'], null, first.assetIssues],
  [
    '/technologies',
    [shell, 'products/product-list.tsx', 'products/queries.ts', 'issues/queries.ts'],
    pageWords.technologies,
    [...standing, ...asks(listProducts, productsInput({}))],
  ],
  [`/technologies${id}`, [shell, 'routes/product-page.tsx', 'products/queries.ts'], null, first.technology],
  ['/scans', [shell, 'scans/scan-list.tsx', 'scans/queries.ts'], pageWords.scans, asks(listScans, scansInput({}))],
  [`/scans${id}`, [shell, 'routes/scan-page.tsx', 'scans/queries.ts'], null, first.scan],
]

/** The modules of the pages outside the product, of its frame, or of the pages inside. */
export function modulesOf(kind: 'public' | 'shell' | 'page'): readonly string[] {
  if (kind === 'shell') return [shell]
  const wanted = pages.filter(([, modules]) => modules.includes(frame) === (kind === 'public'))
  return [...new Set(wanted.flatMap(([, modules]) => modules))].filter((module) => module !== shell)
}
