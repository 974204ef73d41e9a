/** Which modules are loaded where: read by the build alone. It follows `src/routes/screens.tsx`. */
const shell = 'shell/app-shell.tsx'
const frame = 'routes/auth-frame.tsx'
const flow = 'routes/flow-pages.tsx'
const target = [shell, 'targets/target-detail.tsx', 'targets/queries.ts']
const asset = [shell, 'hosts/host-detail.tsx', 'hosts/queries.ts']
const id = '/[^/]+'

/** Paths as regular expressions, and the modules that are loaded where they match; the first match counts. */
export const pages: readonly (readonly [path: string, modules: readonly string[]])[] = [
  ['/', [frame, 'identity/welcome.tsx']],
  ['/(login|registration|recovery|verification|error)', [frame, flow]],
  ['/overview', [shell, 'routes/overview-page.tsx', 'overview/queries.ts', 'overview/view.ts']],
  ['/onboarding', [shell, 'routes/onboarding-page.tsx', 'onboarding/queries.ts']],
  ['/profile', [shell, 'routes/profile-page.tsx']],
  ['/subscription', [shell, 'billing/subscription.tsx', 'billing/queries.ts']],
  ['/integrations', [shell, 'channels/integrations.tsx', 'channels/queries.ts']],
  ['/risks/(verified|potential)', [shell, 'issues/risk-list.tsx', 'scans/start-scan.tsx']],
  ['/risks/visual', [shell, 'graph/visual-map.tsx']],
  [`/risks${id}`, [shell, 'issues/issue-detail.tsx', 'issues/queries.ts']],
  ['/scope', [shell, 'targets/target-list.tsx']],
  [`/scope${id}`, [...target, 'routes/target-overview-page.tsx']],
  [`/scope${id}/scans`, [...target, 'scans/target-scans.tsx']],
  [`/scope${id}/issues`, [...target, 'issues/child-lists.tsx']],
  [`/scope${id}/assets`, [...target, 'hosts/child-lists.tsx']],
  ['/agents', [shell, 'agents/agent-list.tsx']],
  [`/agents${id}`, [shell, 'routes/agent-page.tsx', 'agents/queries.ts']],
  ['/assets', [shell, 'hosts/host-list.tsx']],
  [`/assets${id}`, [...asset, 'routes/host-overview-page.tsx']],
  [`/assets${id}/technologies`, [...asset, 'hosts/host-technologies.tsx']],
  [`/assets${id}/issues`, [...asset, 'issues/child-lists.tsx']],
  ['/technologies', [shell, 'products/product-list.tsx']],
  [`/technologies${id}`, [shell, 'routes/product-page.tsx', 'products/queries.ts']],
  ['/scans', [shell, 'scans/scan-list.tsx']],
  [`/scans${id}`, [shell, 'routes/scan-page.tsx', 'scans/queries.ts']],
]

/** The modules of the pages outside the product, of its frame, or of the pages inside. */
export function modulesOf(kind: 'public' | 'shell' | 'page'): readonly string[] {
  if (kind === 'shell') return [shell]
  const wanted = pages.filter(([, modules]) => modules.includes(frame) === (kind === 'public'))
  return [...new Set(wanted.flatMap(([, modules]) => modules))].filter((module) => module !== shell)
}
