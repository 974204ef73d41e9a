/**
 * Search parameters of the routes that aren't a noun's list. Where the specification says so, an invalid value fails the
 * page. Elsewhere it is dropped.
 */
import { Id } from '@glacis/contract/primitives'
import { SignInFailure } from '@glacis/contract/sign-in-provider'
import { z } from 'zod/mini'
import { RiskSort } from '#issues/search.ts'
import { Flag, lenient, paging, shortText } from '#lib/search-schema.ts'

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

export const CreateSearch = z.object({ create: z.optional(Flag) })

export const OverviewSearch = z.object({
  period: lenient(z.enum(['week', 'month', 'quarter', 'year'])),
  verification: lenient(z.enum(['verified', 'potential', 'all'])),
})
/** The lists on a target or host page. */
export const ChildListSearch = z.object({
  status: lenient(z.enum(['open', 'resolved', 'ignored', 'all'])),
  sort: lenient(RiskSort),
  q: shortText,
  ...paging,
})
/** The onboarding step to show; the next open one by default. */
export const OnboardingSearch = z.object({ step: lenient(z.enum(['target', 'agent', 'scan', 'notifications'])) })
