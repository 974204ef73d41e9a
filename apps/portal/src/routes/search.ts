/**
 * Search parameters of all routes. Where the specification says so, an invalid value fails the page. Elsewhere it is
 * dropped, because an outdated filter in a link is no reason to fail.
 */
import { Id } from '@glacis/contract/primitives'
import { SignInFailure } from '@glacis/contract/sign-in-provider'
import { z } from 'zod/mini'

/**
 * Validates search parameters strictly.
 *
 * @throws with one line per invalid value
 */
export function strictSearch<Schema extends z.ZodMiniObject>(schema: Schema): Strict<Schema> {
  const parse = (search: unknown): z.output<Schema> => {
    const result = schema.safeParse(search)
    if (result.success) return result.data
    const lines = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new Error(`This URL is invalid.\n${lines.join('\n')}`, { cause: result.error })
  }
  // Only carries the types for the router; empty at runtime.
  return { types: {} as Strict<Schema>['types'], parse }
}
interface Strict<Schema extends z.ZodMiniObject> {
  readonly types: { readonly input: z.input<Schema>; readonly output: z.output<Schema> }
  readonly parse: (search: unknown) => z.output<Schema>
}

/** HTTP and HTTPS only: `javascript:` is a valid URL too. */
const WebUrl = z.url({ protocol: /^https?$/ })
const flow = z.optional(z.string().check(z.minLength(1)))

export const LoginSearch = z.object({ flow, aal: z.optional(z.enum(['aal1', 'aal2'])), return_to: z.optional(WebUrl) })
export const FlowSearch = z.object({ flow, return_to: z.optional(WebUrl) })
export const LogoutSearch = z.object({ return_to: z.optional(WebUrl) })
/** The token of the link in an invitation. */
export const InvitationSearch = z.object({ token: z.string() })
/** The server adds the reason for a failure. */
export const SingleSignOnSearch = z.object({
  workspace: Id,
  reason: z.optional(SignInFailure),
  return_to: z.optional(WebUrl),
})
/** Links in the service's emails include the code. */
export const CodeFlowSearch = z.extend(FlowSearch, { code: z.optional(z.string()) })
export const ErrorSearch = z.object({ id: z.string().check(z.minLength(1)) })
export const ProfileSearch = z.object({ flow })

const Flag = z.union([
  z.boolean(),
  z.pipe(
    z.enum(['true', 'false']),
    z.transform((word) => word === 'true'),
  ),
])
export const CreateSearch = z.object({ create: z.optional(Flag) })

const lenient = <Item extends z.ZodMiniType>(item: Item) => z.catch(z.optional(item), undefined)
const listOf = <Item extends z.ZodMiniType>(item: Item) =>
  lenient(
    z.readonly(
      z.pipe(
        z.transform((value: unknown) => (Array.isArray(value) ? value : [value])),
        z.array(item).check(z.minLength(1)),
      ),
    ),
  )
const id = lenient(Id)
const shortText = lenient(z.string().check(z.maxLength(200)))

/** Rows per page. */
const pageSizes = [25, 50, 100, 500] as const
const paging = {
  size: lenient(z.pipe(z.coerce.number(), z.literal(pageSizes))),
  /** Tokens of the previous pages and this one; absent on the first page. */
  after: listOf(z.string().check(z.maxLength(2000))),
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
  unassigned: lenient(Flag),
  tag: listOf(Id),
  /** Minimum EPSS, in percent. */
  epss: lenient(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100))),
  since: lenient(z.enum(['day', 'week', 'month'])),
  cve: lenient(z.string().check(z.regex(/^CVE-\d{4}-\d{4,}$/i))),
  q: shortText,
  sort: riskSort,
  ...paging,
})
export const ScopeSearch = z.extend(CreateSearch, {
  q: shortText,
  tag: listOf(Id),
  schedule: listOf(z.enum(['daily', 'weekly', 'monthly'])),
  agent: lenient(z.union([z.enum(['any', 'none']), Id])),
  owner: lenient(z.string().check(z.maxLength(200))),
  state: listOf(z.enum(['never', 'overdue', 'failed', 'paused', 'unresolved'])),
  sort: lenient(z.string().check(z.maxLength(40))),
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
