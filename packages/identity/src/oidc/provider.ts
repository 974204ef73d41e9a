/**
 * One identity provider: OpenID Connect by discovery, or plain OAuth 2.0 by three addresses. Always
 * with PKCE and state; with OpenID Connect also nonce and issuer (RFC 9700, OpenID Connect Core 3.1).
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
  fetchProtectedResource,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { z } from 'zod'
import { boundedFetch, isLoopback } from '#oidc/fetch.ts'
import type { ProviderOptions } from '#options.ts'

/** How long what a provider says of itself is believed. */
const knownMs = 3600_000
const waitSeconds = 10

/** What must come back from the provider, unchanged and to the same browser. */
export interface Checks {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** What a provider says of a person. */
export interface Person {
  readonly subject: string
  readonly email: string | null
  /** The provider says so explicitly; anything else counts as unverified. */
  readonly isEmailVerified: boolean
  readonly first: string | null
  readonly last: string | null
}

export interface Provider {
  readonly id: string
  readonly label: string
  /** Where the browser goes. @throws when the provider cannot be reached or says nothing usable */
  begin(redirectUri: string): Promise<{ url: string; checks: Checks }>
  /** Who came back with this callback. @throws when anything does not fit */
  finish(callback: URL, checks: Checks): Promise<Person>
}

/**
 * Prepares a provider; nothing is asked of it before somebody uses it.
 *
 * @throws Error when its settings name neither an issuer nor three addresses, or an http address of another machine
 */
export function createProvider(options: ProviderOptions, now: () => Date): Provider {
  const { id, label, issuer, authorizationUrl, tokenUrl, userinfoUrl } = options
  const addresses = issuer ? [issuer] : [authorizationUrl, tokenUrl, userinfoUrl]
  const urls = addresses.map((address) => safeUrl(id, address))
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/i.test(id))
    throw new Error(`The provider id ${JSON.stringify(id)} must be a plain word`)
  const isInsecure = urls.some(({ protocol }) => protocol === 'http:')
  let known: { configuration: Promise<Configuration>; until: number } | undefined
  const configuration = () => {
    if (known && known.until > now().getTime()) return known.configuration
    const fresh = issuer ? discover(options, issuer, isInsecure) : Promise.resolve(assemble(options, isInsecure))
    known = { configuration: fresh, until: now().getTime() + knownMs }
    // What failed is asked again the next time.
    fresh.catch(() => (known = undefined))
    return fresh
  }
  const scope = (options.scopes ?? (issuer ? ['openid', 'email', 'profile'] : [])).join(' ')
  return {
    id,
    label: label ?? id,
    async begin(redirectUri) {
      const checks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
      const url = buildAuthorizationUrl(await configuration(), {
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
    async finish(callback, checks) {
      const found = await configuration()
      return issuer ? finishOpenId(found, callback, checks) : finishPlain(found, callback, checks)
    },
  }
}

function safeUrl(id: string, address: string | undefined): URL {
  if (!address || !URL.canParse(address)) {
    throw new Error(`The provider ${id} needs an issuer, or authorizationUrl, tokenUrl and userinfoUrl`)
  }
  const url = new URL(address)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new Error(`The addresses of the provider ${id} must be https`)
  }
  return url
}

async function discover(options: ProviderOptions, issuer: string, isInsecure: boolean): Promise<Configuration> {
  const found = await discovery(new URL(issuer), options.clientId, undefined, None(), {
    [customFetch]: boundedFetch,
    timeout: waitSeconds,
    execute: isInsecure ? [allowInsecureRequests] : [],
  })
  return configure(options, found.serverMetadata(), isInsecure)
}

function assemble(options: ProviderOptions, isInsecure: boolean): Configuration {
  const { authorizationUrl = '', tokenUrl = '', userinfoUrl = '' } = options
  const metadata = {
    issuer: new URL(authorizationUrl).origin,
    authorization_endpoint: authorizationUrl,
    token_endpoint: tokenUrl,
    userinfo_endpoint: userinfoUrl,
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  }
  return configure(options, metadata, isInsecure)
}

type Metadata = ConstructorParameters<typeof Configuration>[0]

function configure(
  { clientId, clientSecret }: ProviderOptions,
  metadata: Metadata,
  isInsecure: boolean,
): Configuration {
  // A provider that does not say takes the secret by HTTP Basic: OpenID Connect Discovery, section 3.
  const ways = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const secret = ways.includes('client_secret_basic') ? ClientSecretBasic(clientSecret) : ClientSecretPost(clientSecret)
  const configuration = new Configuration(metadata, clientId, undefined, clientSecret ? secret : None())
  configuration[customFetch] = boundedFetch
  configuration.timeout = waitSeconds
  if (isInsecure) allowInsecureRequests(configuration)
  return configuration
}

/** What cannot be kept counts as not said: the form asks for it. */
const text = z
  .string()
  .trim()
  .min(1)
  .max(254)
  .regex(/^[^\0\p{Cs}]*$/u)
  .nullable()
  .catch(null)
const Claims = z.object({
  email: text,
  email_verified: z.union([z.boolean(), z.stringbool()]).catch(false),
  given_name: text,
  family_name: text,
})

async function finishOpenId(configuration: Configuration, callback: URL, checks: Checks): Promise<Person> {
  const tokens = await authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier: checks.verifier,
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (!claims) throw new Error('The provider sent no ID token')
  const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
  const more = hasMore ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {}
  return personOf(claims.sub, { ...more, ...claims })
}

const PlainPerson = z.looseObject({ id: z.union([z.string(), z.number()]).optional(), sub: z.string().optional() })

async function finishPlain(configuration: Configuration, callback: URL, checks: Checks): Promise<Person> {
  const tokens = await authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier: checks.verifier,
    expectedState: checks.state,
  })
  const { userinfo_endpoint: address = '' } = configuration.serverMetadata()
  const answer = await fetchProtectedResource(configuration, tokens.access_token, new URL(address), 'GET')
  if (!answer.ok) throw new Error(`The provider answered ${answer.status} when it was asked who this is`)
  const person = PlainPerson.parse(await answer.json())
  const subject = person.sub ?? person.id
  if (subject === undefined || subject === '') throw new Error('The provider did not say who this is')
  return personOf(String(subject), person)
}

function personOf(subject: string, said: unknown): Person {
  const claims = Claims.parse(said)
  return {
    subject,
    email: claims.email,
    isEmailVerified: claims.email_verified,
    first: claims.given_name,
    last: claims.family_name,
  }
}
