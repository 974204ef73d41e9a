/**
 * Search parameters of all routes. Where the specification says so, an invalid value fails the page. Elsewhere it is
 * dropped, because an outdated filter in a link is no reason to fail.
 */
import { Id } from '@glacis/contract/primitives'
import { z } from 'zod'

/**
 * Validates search parameters strictly.
 *
 * @throws with one line per invalid value
 */
export function strictSearch<Schema extends z.ZodObject>(schema: Schema): Strict<Schema> {
  const parse = (search: unknown): z.output<Schema> => {
    const result = schema.safeParse(search)
    if (result.success) return result.data
    const lines = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new Error(`This URL is invalid.\n${lines.join('\n')}`, { cause: result.error })
  }
  // Only carries the types for the router; empty at runtime.
  return { types: {} as Strict<Schema>['types'], parse }
}
interface Strict<Schema extends z.ZodObject> {
  readonly types: { readonly input: z.input<Schema>; readonly output: z.output<Schema> }
  readonly parse: (search: unknown) => z.output<Schema>
}

/** HTTP and HTTPS only: `javascript:` is a valid URL too. */
const WebUrl = z.url({ protocol: /^https?$/ })
const flow = z.string().min(1).optional()

export const LoginSearch = z.object({ flow, aal: z.enum(['aal1', 'aal2']).optional(), return_to: WebUrl.optional() })
export const FlowSearch = z.object({ flow, return_to: WebUrl.optional() })
/** Links in the service's emails include the code. */
export const CodeFlowSearch = FlowSearch.extend({ code: z.string().optional() })
export const ErrorSearch = z.object({ id: z.string().min(1) })
export const ProfileSearch = z.object({ flow })

const Flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])
export const CreateSearch = z.object({ create: Flag.optional() })

const lenient = <Item extends z.ZodType>(item: Item) => item.optional().catch(undefined)
const listOf = <Item extends z.ZodType>(item: Item) =>
  lenient(z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item).min(1).readonly()))
const id = lenient(Id)
const shortText = lenient(z.string().max(200))

/** Rows per page. */
const pageSizes = [25, 50, 100, 500] as const
const paging = {
  size: lenient(z.coerce.number().pipe(z.literal(pageSizes))),
  /** Tokens of the previous pages and this one; absent on the first page. */
  after: listOf(z.string().max(2000)),
}

const riskSort = lenient(z.enum(['recent', 'priority', 'severity', 'epss', 'hosts', 'oldest']))
export const RiskListSearch = z.object({
  status: lenient(z.enum(['open', 'resolved', 'ignored', 'all'])),
  severity: listOf(z.enum(['critical', 'high', 'medium', 'low', 'none'])),
  target: id,
  asset: id,
  scan: id,
  technology: id,
  kev: lenient(Flag),
  regressed: lenient(Flag),
  fix: lenient(Flag),
  mine: lenient(Flag),
  tag: listOf(Id),
  /** Minimum EPSS, in percent. */
  epss: lenient(z.coerce.number().int().min(1).max(100)),
  since: lenient(z.enum(['day', 'week', 'month'])),
  cve: lenient(z.string().regex(/^CVE-\d{4}-\d{4,}$/i)),
  q: shortText,
  sort: riskSort,
  ...paging,
})
export const ScopeSearch = CreateSearch.extend({
  q: shortText,
  tag: listOf(Id),
  schedule: listOf(z.enum(['daily', 'weekly', 'monthly'])),
  agent: lenient(z.union([z.enum(['any', 'none']), Id])),
  state: listOf(z.enum(['never', 'overdue', 'failed', 'paused', 'unresolved'])),
  sort: lenient(z.string().max(40)),
  ...paging,
})
export const AssetListSearch = z.object({
  q: shortText,
  target: id,
  technology: id,
  tag: listOf(Id),
  severity: listOf(z.enum(['critical', 'high', 'medium', 'low'])),
  criticality: listOf(z.enum(['high', 'normal', 'low'])),
  age: lenient(z.enum(['new', 'gone'])),
  sort: lenient(z.enum(['address', 'checked', 'seen'])),
  ...paging,
})
export const TechnologyListSearch = z.object({
  q: shortText,
  target: id,
  asset: id,
  vendor: shortText,
  product: shortText,
  kind: listOf(z.enum(['application', 'system', 'hardware'])),
  support: listOf(z.enum(['past', 'soon', 'supported', 'unknown'])),
  risky: lenient(Flag),
  watched: lenient(Flag),
  group: lenient(Flag),
  /** The panel for watching a technology. */
  watch: lenient(Flag),
  sort: lenient(z.enum(['name', 'support', 'risks', 'hosts'])),
  ...paging,
})
export const ScanListSearch = z.object({
  target: id,
  status: listOf(z.enum(['created', 'running', 'completed', 'cancelled', 'failed'])),
  type: listOf(z.enum(['automatic', 'manual', 'emerging'])),
  since: lenient(z.enum(['day', 'week', 'month'])),
  ...paging,
})
export const ScanDetailSearch = z.object({
  tab: lenient(z.enum(['result', 'changes', 'hosts', 'log'])),
  /** The scan to compare with, if not the previous one. */
  base: id,
  q: shortText,
  state: listOf(z.enum(['affected', 'scanned', 'silent', 'away'])),
  level: lenient(z.enum(['warn', 'error'])),
  ...paging,
})
export const OverviewSearch = z.object({
  period: lenient(z.enum(['week', 'month', 'quarter', 'year'])),
  verification: lenient(z.enum(['verified', 'potential', 'all'])),
})
/** The lists on a target or host page. */
export const ChildListSearch = z.object({
  status: lenient(z.enum(['open', 'resolved', 'ignored', 'all'])),
  sort: riskSort,
  q: shortText,
  ...paging,
})
/** The onboarding step to show; the next open one by default. */
export const OnboardingSearch = z.object({ step: lenient(z.enum(['target', 'agent', 'scan', 'notifications'])) })
export const MapSearch = z.object({
  target: id,
  tag: listOf(Id),
  severity: listOf(z.enum(['critical', 'high', 'medium', 'low', 'none'])),
  status: lenient(z.enum(['open', 'resolved', 'ignored', 'all'])),
  verification: lenient(z.enum(['verified', 'potential', 'all'])),
  kev: lenient(Flag),
  hide: listOf(z.enum(['product', 'host', 'threat', 'other'])),
  view: lenient(z.enum(['table'])),
  node: shortText,
})
