/** The product API over a test's house, with sessions that are named by a header. */
import { Session } from '@glacis/contract/identity'
import type { Endpoint } from '@glacis/contract/endpoint'
import Fastify, { type FastifyInstance } from 'fastify'
import { createAccounts } from '#accounts.ts'
import { newId } from '#database/index.ts'
import { type ApiOptions, mountApi } from '#http/api.ts'
import { strictness } from '#http/app.ts'
import { answerErrors } from '#http/errors.ts'
import { createGuard } from '#http/guard.ts'
import { listenLive } from '#live.ts'
import type { House } from '#testing/house.ts'

export interface TestApi {
  readonly app: FastifyInstance
  readonly endpoints: readonly Endpoint[]
  close(): Promise<void>
}

const silent = { info() {}, warn() {}, error() {} }

/** Requests that carry `x-person: anna` come from anna; the real services are asked in the stories of the browser. */
export async function openTestApi(house: House, origin: string, more: Partial<ApiOptions> = {}): Promise<TestApi> {
  const live = await listenLive(house.url, silent)
  const app = Fastify({ forceCloseConnections: true, ...strictness })
  answerErrors(app)
  const whoami = async (headers: Record<string, unknown>) => sessionOf(headers['x-person'])
  const { endpoints } = mountApi(app, {
    database: house.database,
    jobs: house.jobs,
    guard: createGuard(whoami, createAccounts(house.database), [origin], house.database),
    live,
    mailer: { deliver: async () => undefined, close: () => undefined },
    gate: 'all',
    root: '/nowhere',
    url: origin,
    feeds: null,
    knowledge: {},
    ...more,
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

function sessionOf(name: unknown): Session | null {
  if (typeof name !== 'string') return null
  const at = new Date(Date.now() + 3_600_000).toISOString()
  const traits = { email: `${name}@example.ch`, name: { first: name, last: 'Muster' } }
  const identity = { id: name, traits }
  return Session.parse({ id: newId(), active: true, expires_at: at, authenticated_at: at, identity })
}
