/** A local OpenID provider that signs in its current user without interaction. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import Provider from 'oidc-provider'
import type { ProviderOptions } from '#options.ts'
import type { Browser, Reply } from '#testing/browser.ts'
import { publicUrl } from '#testing/test-identity.ts'

export interface Claims {
  readonly email?: string
  readonly email_verified?: boolean
  readonly given_name?: string
  readonly family_name?: string
  readonly groups?: readonly string[]
}

export interface TestOidcProvider {
  readonly issuer: string
  /** Options that configure it in the identity service under this ID. */
  optionsFor(id: string, label?: string): ProviderOptions
  /** The user to sign in; null denies access. */
  currentUser: { readonly subject: string; readonly claims: Claims } | null
  /** The keys that it publishes; null for those that it signs with. */
  publishedKeys: readonly object[] | null
  /** Follows the redirects from an authorization request like a browser; returns the first URL at this origin. */
  follow(start: string, origin: string): Promise<string>
  close(): Promise<void>
}

/**
 * Starts the provider with a client per ID, for an identity service at this origin.
 *
 * @param callbacks more redirect URIs of every client
 * @param algorithm signs ID tokens
 */
export async function startTestOidcProvider(
  ids: readonly string[],
  origin: string = publicUrl,
  callbacks: readonly string[] = [],
  algorithm: 'RS256' | 'HS256' = 'RS256',
): Promise<TestOidcProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('No port')
  const issuer = `http://127.0.0.1:${address.port}`
  const claimsBySubject = new Map<string, Claims>()
  const secret = randomBytes(16).toString('hex')
  const provider = new Provider(issuer, {
    clients: ids.map((id) => ({
      client_id: `client-${id}`,
      client_secret: secret,
      id_token_signed_response_alg: algorithm,
      redirect_uris: [`${origin}/self-service/methods/oidc/callback/${id}`, ...callbacks],
    })),
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name'],
      groups: ['groups'],
    },
    cookies: { keys: [secret] },
    enabledJWA: { idTokenSigningAlgValues: [algorithm] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...claimsBySubject.get(id) }),
    }),
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }: { oidc: { client: { clientId: string }; session: { accountId: string } } }) => {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile groups')
      await grant.save()
      return grant
    },
  })
  const handle = provider.callback()
  const testProvider: TestOidcProvider = {
    issuer,
    optionsFor: (id, label) => ({ id, label, issuer, clientId: `client-${id}`, clientSecret: secret }),
    currentUser: null,
    publishedKeys: null,
    follow: followTo,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  server.on('request', (request, response) => {
    const { currentUser, publishedKeys } = testProvider
    if (request.url === '/jwks' && publishedKeys) return response.end(JSON.stringify({ keys: publishedKeys }))
    if (!request.url?.startsWith('/interaction/')) return handle(request, response)
    if (currentUser) claimsBySubject.set(currentUser.subject, currentUser.claims)
    const result = currentUser
      ? { login: { accountId: currentUser.subject } }
      : { error: 'access_denied', error_description: 'End-User aborted interaction' }
    void provider.interactionFinished(request, response, result)
  })
  return testProvider
}

/** Follows the provider's redirects like a browser and returns the callback URL. */
export function followToCallback(start: string): Promise<string> {
  return followTo(start, publicUrl)
}

async function followTo(start: string, origin: string): Promise<string> {
  const jar = new Map<string, string>()
  let url = start
  while (!url.startsWith(origin)) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    const location = response.headers.get('location')
    if (!location) throw new Error(`The provider responded with ${response.status}: ${await response.text()}`)
    url = new URL(location, url).href
  }
  return url
}

/** Completes the sign-in at the provider and opens the callback. */
export async function completeAtProvider(browser: Browser, start: Reply): Promise<Reply> {
  if (start.status !== 422) throw new Error(`No redirect to the provider: ${start.text}`)
  return browser.open(await followToCallback(start.body.redirect_browser_to))
}
