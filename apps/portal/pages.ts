/** Which modules are loaded where: read by the build alone. It follows `src/routes/screens.tsx`. */
import { pageWords } from './src/lib/page-words.ts'

const shell = 'shell/app-shell.tsx'
const frame = 'routes/auth-frame.tsx'
const flow = 'routes/flow-pages.tsx'
const target = [shell, 'targets/target-detail.tsx', 'targets/queries.ts']
const asset = [shell, 'hosts/host-detail.tsx', 'hosts/queries.ts']
const id = '/[^/]+'

type Words = (typeof pageWords)[keyof typeof pageWords]
type Page = readonly [path: string, modules: readonly string[], words?: Words]

/**
 * Paths as regular expressions, the modules that are loaded where they match, and the words at the head where they
 * are known beforehand; the first match counts.
 */
export const pages: readonly Page[] = [
  ['/', [frame, 'identity/welcome.tsx']],
  ['/(login|registration|recovery|verification|error)', [frame, flow]],
  ['/overview', [shell, 'routes/overview-page.tsx', 'overview/queries.ts', 'overview/view.ts'], pageWords.overview],
  ['/onboarding', [shell, 'routes/onboarding-page.tsx', 'onboarding/queries.ts'], pageWords.onboarding],
  ['/profile', [shell, 'routes/profile-page.tsx'], pageWords.profile],
  ['/subscription', [shell, 'billing/subscription.tsx', 'billing/queries.ts'], pageWords.subscription],
  ['/integrations', [shell, 'channels/integrations.tsx', 'channels/queries.ts'], pageWords.integrations],
  ['/risks/verified', [shell, 'issues/risk-list.tsx', 'scans/start-scan.tsx'], pageWords.verified],
  ['/risks/potential', [shell, 'issues/risk-list.tsx', 'scans/start-scan.tsx'], pageWords.potential],
  ['/risks/visual', [shell, 'graph/visual-map.tsx'], pageWords.map],
  [`/risks${id}`, [shell, 'issues/issue-detail.tsx', 'issues/queries.ts']],
  ['/scope', [shell, 'targets/target-list.tsx'], pageWords.scope],
  [`/scope${id}`, [...target, 'routes/target-overview-page.tsx']],
  [`/scope${id}/scans`, [...target, 'scans/target-scans.tsx']],
  [`/scope${id}/issues`, [...target, 'issues/child-lists.tsx']],
  [`/scope${id}/assets`, [...target, 'hosts/child-lists.tsx']],
  ['/agents', [shell, 'agents/agent-list.tsx'], pageWords.agents],
  [`/agents${id}`, [shell, 'routes/agent-page.tsx', 'agents/queries.ts']],
  ['/assets', [shell, 'hosts/host-list.tsx'], pageWords.assets],
  [`/assets${id}`, [...asset, 'routes/host-overview-page.tsx']],
  [`/assets${id}/technologies`, [...asset, 'hosts/host-technologies.tsx']],
  [`/assets${id}/issues`, [...asset, 'issues/child-lists.tsx']],
  ['/technologies', [shell, 'products/product-list.tsx'], pageWords.technologies],
  [`/technologies${id}`, [shell, 'routes/product-page.tsx', 'products/queries.ts']],
  ['/scans', [shell, 'scans/scan-list.tsx'], pageWords.scans],
  [`/scans${id}`, [shell, 'routes/scan-page.tsx', 'scans/queries.ts']],
]

/** The modules of the pages outside the product, of its frame, or of the pages inside. */
export function modulesOf(kind: 'public' | 'shell' | 'page'): readonly string[] {
  if (kind === 'shell') return [shell]
  const wanted = pages.filter(([, modules]) => modules.includes(frame) === (kind === 'public'))
  return [...new Set(wanted.flatMap(([, modules]) => modules))].filter((module) => module !== shell)
}
