/** A real OpenID provider on this machine, whose people sign in by themselves. */
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
}

export interface OtherService {
  readonly issuer: string
  /** How our service is told of it, under a name of ours. */
  options(id: string, label?: string): ProviderOptions
  /** Who is sitting there now; `null` says no. */
  present: { readonly subject: string; readonly claims: Claims } | null
  close(): Promise<void>
}

/** Starts it for clients of the names given, of a service at an origin. */
export async function openOtherService(ids: readonly string[], origin: string = publicUrl): Promise<OtherService> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('No port')
  const issuer = `http://127.0.0.1:${address.port}`
  const people = new Map<string, Claims>()
  const secret = randomBytes(16).toString('hex')
  const provider = new Provider(issuer, {
    clients: ids.map((id) => ({
      client_id: `client-${id}`,
      client_secret: secret,
      redirect_uris: [`${origin}/self-service/methods/oidc/callback/${id}`],
    })),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    cookies: { keys: [secret] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...people.get(id) }),
    }),
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }: { oidc: { client: { clientId: string }; session: { accountId: string } } }) => {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const answer = provider.callback()
  const service: OtherService = {
    issuer,
    options: (id, label) => ({ id, label, issuer, clientId: `client-${id}`, clientSecret: secret }),
    present: null,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response)
    const { present } = service
    if (present) people.set(present.subject, present.claims)
    const result = present
      ? { login: { accountId: present.subject } }
      : { error: 'access_denied', error_description: 'End-User aborted interaction' }
    void provider.interactionFinished(request, response, result)
  })
  return service
}

/** Walks through the other service as a browser would; the callback with which it sends the browser back. */
export async function walk(start: string): Promise<string> {
  const jar = new Map<string, string>()
  let url = start
  while (!url.startsWith(publicUrl)) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    const location = answer.headers.get('location')
    if (!location) throw new Error(`The other service stopped with ${answer.status}: ${await answer.text()}`)
    url = new URL(location, url).href
  }
  return url
}

/** Follows a start's answer to the other service and back. */
export async function visit(browser: Browser, start: Reply): Promise<Reply> {
  if (start.status !== 422) throw new Error(`Not sent away: ${start.text}`)
  return browser.open(await walk(start.body.redirect_browser_to))
}
