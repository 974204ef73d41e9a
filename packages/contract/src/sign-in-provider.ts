/** The OpenID Connect provider of a workspace. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { GroupRoleName, GroupRoles } from '#group-role.ts'
import { emailPattern } from '#identity.ts'
import { Empty, Id, ShortName, Timestamp } from '#primitives.ts'

const issuer = z.url().check(z.maxLength(500))
const clientId = z.string().check(z.trim(), z.minLength(1), z.maxLength(500))
const claim = z.string().check(z.minLength(1), z.maxLength(200))

export const SignInProvider = z.object({
  /** Shown on the sign-in page. */
  label: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  /** Whether a client secret is stored. The secret itself is never returned. */
  hasClientSecret: z.boolean(),
  /** Claim with the user's groups, in the ID token or the userinfo response. */
  groupsClaim: z.string(),
  /** Applied at each sign-in. The role of owners never changes. */
  groupRoles: GroupRoles,
  /** Role of users in no group of `groupRoles`; null to admit only members, and invited or provisioned users. */
  defaultRole: z.nullable(GroupRoleName),
  /** Everyone but owners has to sign in with this provider to use the workspace. */
  isRequired: z.boolean(),
  /** Starts the sign-in with this provider. */
  signInUrl: z.string(),
  updateTime: Timestamp,
})
export type SignInProvider = z.infer<typeof SignInProvider>

const result = z.object({
  /** Absent if none is configured. */
  provider: z.optional(SignInProvider),
  /** To register with the provider. */
  redirectUri: z.string(),
  /** The email domains whose users can sign in with the provider. */
  domains: z.array(z.string()),
})

/**
 * Why a sign-in with the provider failed, for sessions of an external identity service: the parameter `reason` of the
 * portal's page `/single-sign-on`.
 */
export const SignInFailure = z.enum([
  /** There is no session, or it isn't the one from the start of the sign-in. */
  'session',
  /** The workspace has no provider. */
  'unknown',
  /** The provider can't be reached. */
  'unreachable',
  /** The request is too old, was already completed, or was started by another browser. */
  'expired',
  /** The provider denied the sign-in. */
  'denied',
  /** The provider's response is invalid. */
  'failed',
  /** The account at the provider belongs to someone else. */
  'mismatch',
  /** The user's email address isn't verified. */
  'unverified',
  /** The user's email address is in none of the workspace's domains. */
  'domain',
])
export type SignInFailure = z.infer<typeof SignInFailure>

export const getSignInProvider = endpoint({
  method: 'GET',
  path: '/v1/sign-in-provider',
  summary: 'Get the sign-in provider',
  input: z.object({}),
  result,
})
export const setSignInProvider = endpoint({
  method: 'PUT',
  path: '/v1/sign-in-provider',
  summary: 'Set the sign-in provider',
  description:
    "Fetches the issuer's metadata first. Users can sign in with the provider if their address is in one of the workspace's verified email domains.",
  input: z.strictObject({
    provider: z.strictObject({
      label: ShortName,
      issuer,
      clientId,
      /** Absent to keep the stored secret, if issuer and client ID are unchanged; empty for a public client. */
      clientSecret: z.optional(z.string().check(z.maxLength(1000))),
      groupsClaim: z._default(claim, 'groups'),
      groupRoles: z._default(GroupRoles, []),
      defaultRole: z._default(z.nullable(GroupRoleName), null),
      isRequired: z._default(z.boolean(), false),
    }),
    /**
     * The `updateTime` of the current provider, or null for none. If it is different, the request is rejected with the reason
     * `SETTINGS_CHANGED`.
     */
    replaces: z.optional(z.nullable(Timestamp)),
  }),
  result,
})
export const deleteSignInProvider = endpoint({
  method: 'DELETE',
  path: '/v1/sign-in-provider',
  summary: 'Remove the sign-in provider',
  description:
    'Members keep their access and can sign in another way, for example with a password set through account recovery.',
  input: z.object({}),
  result: Empty,
})
export const findSignInProvider = endpoint({
  method: 'POST',
  path: '/v1/sign-in-provider/find',
  summary: 'Find a sign-in provider',
  description:
    'For the sign-in page; needs no session. Finds the provider by the verified domain of an email address, or by workspace. Without either, only reports whether any workspace has one.',
  input: z.strictObject({
    email: z.optional(z.email({ pattern: emailPattern })),
    workspaceId: z.optional(Id),
  }),
  result: z.object({
    /** Absent if there is none. */
    provider: z.optional(z.object({ label: z.string(), signInUrl: z.string() })),
    /** Whether any workspace has a provider. */
    isOffered: z.boolean(),
  }),
})
