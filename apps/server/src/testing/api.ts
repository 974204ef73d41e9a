/** The product API on a test server; a request header names the user. */
import { Session } from '@glacis/contract/identity'
import type { Endpoint } from '@glacis/contract/endpoint'
import { createIdentityAdmin } from '@glacis/identity'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll } from 'vitest'
import { newId } from '#database/index.ts'
import { type ApiOptions, mountApi } from '#http/api.ts'
import { requestLimits } from '#http/app.ts'
import { installErrorHandlers } from '#http/errors.ts'
import { createGuard } from '#http/guard.ts'
import { listenLive } from '#live.ts'
import { createMemberships, type SignInLimits } from '#workspaces/index.ts'
import type { TestServer } from '#testing/test-server.ts'

export interface TestApi {
  readonly app: FastifyInstance
  readonly endpoints: readonly Endpoint[]
  close(): Promise<void>
}

/** The secret of the installation. */
export const testSecret = 'ab'.repeat(32)
const silent = { info() {}, warn() {}, error() {} }

/** Opens an API for all tests of a file and closes it after the last; call it at the top level. */
export async function sharedTestApi(...args: Parameters<typeof openTestApi>): Promise<TestApi> {
  const api = await openTestApi(...args)
  afterAll(() => api.close())
  return api
}

/** Requests with the header `x-person: anna` are from anna, who signed in with the provider in `x-provider`, in the session `x-session`. The browser tests use the real identity service. */
export async function openTestApi(
  server: TestServer,
  origin: string,
  more: Partial<ApiOptions> & { signInLimits?: SignInLimits } = {},
): Promise<TestApi> {
  const { signInLimits = { sessionMs: 3_600_000, idleMs: 3_600_000 }, ...options } = more
  const ownSignIn = { url: origin, secret: testSecret, egress: ['127.0.0.0/8'], hasOwnIdentity: true }
  const signIn = options.signIn ?? { ...ownSignIn, fetch: fetchOnLoopback, revokeSessions: async () => undefined }
  const live = await listenLive(server.url, silent)
  const app = Fastify({ forceCloseConnections: true, ...requestLimits })
  installErrorHandlers(app)
  const whoami = async (headers: Record<string, unknown>) =>
    sessionOf(headers['x-person'], headers['x-provider'], headers['x-session'])
  const { endpoints } = mountApi(app, {
    database: server.database,
    jobs: server.jobs,
    guard: createGuard(
      whoami,
      createMemberships(server.database, { ...signIn, ...signInLimits }),
      [origin],
      server.database,
    ),
    live,
    mailer: { deliver: async () => undefined, close: () => undefined },
    egress: 'all',
    root: '/nowhere',
    url: origin,
    secret: testSecret,
    resolveTxt: async () => [],
    signIn,
    findPerson: async () => null,
    feeds: null,
    knowledge: {},
    scanNetworks: 'all',
    administration: {
      database: server.database,
      jobs: server.jobs,
      mailer: { deliver: async () => undefined, close: () => undefined },
      people: createIdentityAdmin({ database: server.database.owner, enqueueMail: async () => undefined }),
      config: { url: origin, identityUrl: undefined, smtpUrl: undefined, releases: undefined },
      check: async () => [],
    },
    ...options,
  })
  return {
    app,
    endpoints,
    async close() {
      await app.close()
      await live.close()
    },
  }
}

/** Tests send no request to another machine, not even for the examples of the API document. */
async function fetchOnLoopback(url: string, options: RequestInit): Promise<Response> {
  if (new URL(url).hostname !== '127.0.0.1') throw new Error('not on loopback')
  return fetch(url, options)
}

function sessionOf(name: unknown, provider: unknown, sessionId: unknown = newId()): Session | null {
  if (typeof name !== 'string') return null
  const at = new Date(Date.now() + 3_600_000).toISOString()
  const traits = { email: `${name}@example.ch`, name: { first: name, last: 'Muster' } }
  const isVerified = !name.startsWith('unverified')
  const verifiable_addresses = [{ value: traits.email, verified: isVerified }]
  const identity = { id: name, traits, verifiable_addresses }
  const authentication_methods = provider === undefined ? [] : [{ method: 'oidc', provider }]
  return Session.parse({
    id: sessionId,
    active: true,
    expires_at: at,
    authenticated_at: at,
    identity,
    authentication_methods,
  })
}
