/**
 * External identity provider: OpenID Connect with discovery, or plain OAuth 2.0 with three endpoints. Always uses PKCE
 * and state; OpenID Connect also checks nonce and issuer (RFC 9700, OpenID Connect Core 3.1).
 */
import {
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  None,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchProtectedResource,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { z } from 'zod'
import { createBoundedFetch, isLoopback } from '#oidc/fetch.ts'
import type { OrganizationProvider, ProviderOptions } from '#options.ts'

/** How long provider metadata is cached. */
const metadataTtlMs = 3600_000
const timeoutSeconds = 10

/** Values that bind the callback to the authorization request. */
export interface Checks {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** A user as reported by the provider. */
export interface ProviderUser {
  readonly subject: string
  readonly email: string | null
  /** True only if the provider explicitly reports the address as verified. */
  readonly isEmailVerified: boolean
  readonly first: string | null
  readonly last: string | null
  /** Empty unless the provider belongs to an organization. */
  readonly groups: readonly string[]
}

export interface Provider {
  readonly id: string
  readonly label: string
  readonly issuer: string | undefined
  /** The email domains of the organization that the provider belongs to; undefined for the installation's providers. */
  readonly domains: readonly string[] | undefined
  /** Creates the authorization URL. @throws if the provider can't be reached or its metadata is invalid */
  startAuthorization(redirectUri: string): Promise<{ url: string; checks: Checks }>
  /** Exchanges the callback's code for the user. @throws if any check fails */
  completeAuthorization(callback: URL, checks: Checks): Promise<ProviderUser>
}

/**
 * Creates a provider. It isn't contacted before its first use.
 *
 * @throws Error if the options contain neither an issuer nor three endpoints, or a remote URL without HTTPS
 */
export function createProvider(options: ProviderOptions | OrganizationProvider, now: () => Date): Provider {
  const organization = 'domains' in options ? options : null
  const { id, label, issuer, authorizationUrl, tokenUrl, userinfoUrl } = options
  const addresses = issuer ? [issuer] : [authorizationUrl, tokenUrl, userinfoUrl]
  const urls = addresses.map((address) => parseUrl(id, address))
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/i.test(id))
    throw new Error(`Invalid provider ID ${JSON.stringify(id)}: use letters, digits, "-", and "_"`)
  const isInsecure = urls.some(({ protocol }) => protocol === 'http:')
  let cached: { configuration: Promise<Configuration>; until: number } | undefined
  const configuration = () => {
    if (cached && cached.until > now().getTime()) return cached.configuration
    const fresh = issuer
      ? discover(options, issuer, isInsecure)
      : Promise.resolve(staticConfiguration(options, isInsecure))
    cached = { configuration: fresh, until: now().getTime() + metadataTtlMs }
    // Don't cache a failed discovery.
    fresh.catch(() => (cached = undefined))
    return fresh
  }
  return {
    id,
    label: label ?? id,
    issuer,
    domains: organization?.domains,
    async startAuthorization(redirectUri) {
      const checks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
      const found = await configuration()
      const scope = scopesOf(options, found).join(' ')
      const url = buildAuthorizationUrl(found, {
        redirect_uri: redirectUri,
        response_type: 'code',
        ...(scope && { scope }),
        ...(options.responseMode === 'form_post' && { response_mode: 'form_post' }),
        state: checks.state,
        ...(issuer && { nonce: checks.nonce }),
        code_challenge: await calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      })
      url.searchParams.sort()
      return { url: url.href, checks }
    },
    async completeAuthorization(callback, checks) {
      const found = await configuration()
      return issuer
        ? completeOpenId(found, callback, checks, organization?.groupsClaim)
        : completeOAuth2(found, callback, checks)
    },
  }
}

/** Some providers have a scope for groups, and the others reject unknown scopes. */
function scopesOf(options: ProviderOptions | OrganizationProvider, configuration: Configuration): readonly string[] {
  if (options.scopes) return options.scopes
  if (!options.issuer) return []
  const hasGroups = 'domains' in options && configuration.serverMetadata().scopes_supported?.includes('groups')
  return ['openid', 'email', 'profile', ...(hasGroups ? ['groups'] : [])]
}

function parseUrl(id: string, address: string | undefined): URL {
  if (!address || !URL.canParse(address)) {
    throw new Error(`Provider ${id} requires an issuer, or authorizationUrl, tokenUrl, and userinfoUrl`)
  }
  const url = new URL(address)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new Error(`The URLs of provider ${id} must use HTTPS`)
  }
  return url
}

async function discover(
  options: ProviderOptions | OrganizationProvider,
  issuer: string,
  isInsecure: boolean,
): Promise<Configuration> {
  const found = await discovery(new URL(issuer), options.clientId, undefined, None(), {
    [customFetch]: fetchOf(options),
    timeout: timeoutSeconds,
    execute: isInsecure ? [allowInsecureRequests] : [],
  })
  const metadata = found.serverMetadata()
  const configuration = createConfiguration(options, metadata, isInsecure)
  // Verifies the signatures of ID tokens. For those signed with the client secret, the client trusts the connection to the
  // token endpoint, as OpenID Connect Core (section 3.1.3.7) permits.
  const algorithms = metadata.id_token_signing_alg_values_supported ?? ['RS256']
  if (algorithms.some((algorithm) => !algorithm.startsWith('HS'))) enableNonRepudiationChecks(configuration)
  return configuration
}

function staticConfiguration(options: ProviderOptions, isInsecure: boolean): Configuration {
  const { authorizationUrl = '', tokenUrl = '', userinfoUrl = '' } = options
  const metadata = {
    issuer: new URL(authorizationUrl).origin,
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
    userinfo_endpoint: userinfoUrl,
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  }
  return createConfiguration(options, metadata, isInsecure)
}

type Metadata = ConstructorParameters<typeof Configuration>[0]

function createConfiguration(
  options: ProviderOptions | OrganizationProvider,
  metadata: Metadata,
  isInsecure: boolean,
): Configuration {
  const { clientId, clientSecret } = options
  // HTTP Basic is the default according to OpenID Connect Discovery, section 3.
  const authMethods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const clientAuth = authMethods.includes('client_secret_basic')
    ? ClientSecretBasic(clientSecret)
    : ClientSecretPost(clientSecret)
  const configuration = new Configuration(metadata, clientId, undefined, clientSecret ? clientAuth : None())
  configuration[customFetch] = fetchOf(options)
  configuration.timeout = timeoutSeconds
  if (isInsecure) allowInsecureRequests(configuration)
  return configuration
}

function fetchOf(options: ProviderOptions | OrganizationProvider) {
  return createBoundedFetch('fetch' in options ? options.fetch : undefined)
}

/** Unusable values count as missing, so that the form asks for them. */
const claimText = z
  .string()
  .trim()
  .min(1)
  .max(254)
  .regex(/^[^\0\p{Cs}]*$/u)
  .nullable()
  .catch(null)
const Claims = z.object({
  email: claimText,
  email_verified: z.union([z.boolean(), z.stringbool()]).catch(false),
  given_name: claimText,
  family_name: claimText,
})

const groupsMax = 5000
/** A list, or a single group. Values that aren't strings are skipped. */
const Groups = z.unknown().transform((value) =>
  [value]
    .flat()
    .filter((group) => typeof group === 'string')
    .slice(0, groupsMax),
)

async function completeOpenId(
  configuration: Configuration,
  callback: URL,
  checks: Checks,
  groupsClaim: string | undefined,
): Promise<ProviderUser> {
  const tokens = await authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier: checks.verifier,
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (!claims) throw new Error('The provider did not return an ID token')
  const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
  const more = hasMore ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {}
  const all: Record<string, unknown> = { ...more, ...claims }
  return { ...toProviderUser(claims.sub, all), groups: groupsClaim === undefined ? [] : Groups.parse(all[groupsClaim]) }
}

const UserInfo = z.looseObject({ id: z.union([z.string(), z.number()]).optional(), sub: z.string().optional() })

async function completeOAuth2(configuration: Configuration, callback: URL, checks: Checks): Promise<ProviderUser> {
  const tokens = await authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier: checks.verifier,
    expectedState: checks.state,
  })
  const { userinfo_endpoint: address = '' } = configuration.serverMetadata()
  const response = await fetchProtectedResource(configuration, tokens.access_token, new URL(address), 'GET')
  if (!response.ok) throw new Error(`The provider's userinfo endpoint responded with status ${response.status}`)
  const userInfo = UserInfo.parse(await response.json())
  const subject = userInfo.sub ?? userInfo.id
  if (subject === undefined || subject === '') throw new Error('The provider did not return a user ID')
  return toProviderUser(String(subject), userInfo)
}

function toProviderUser(subject: string, rawClaims: unknown): ProviderUser {
  const claims = Claims.parse(rawClaims)
  return {
    subject,
    email: claims.email,
    isEmailVerified: claims.email_verified,
    first: claims.given_name,
    last: claims.family_name,
    groups: [],
  }
}
