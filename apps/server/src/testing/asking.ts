/** The API with people who ask it things, and targets of theirs. */
import type { Endpoint } from '@glacis/contract/endpoint'
import { installValidationMessages } from '@glacis/contract/validation-messages'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { openTestApi } from '#testing/api.ts'
import { startTestServer, type TestServer } from '#testing/test-server.ts'

export interface Asking {
  readonly server: TestServer
  readonly app: FastifyInstance
  readonly endpoints: readonly Endpoint[]
  /** @param person who has a session; null for nobody */
  ask(options: InjectOptions, person?: string | null): Promise<LightMyRequestResponse>
  /** Makes a target. @throws when it is refused */
  target(person: string, name?: string, address?: string): Promise<{ readonly id: string }>
  close(): Promise<void>
}

const origin = 'http://localhost:3000'

export async function openAsking(): Promise<Asking> {
  installValidationMessages()
  const server = await startTestServer()
  const api = await openTestApi(server, origin)
  const { app, endpoints } = api
  await app.ready()
  const ask: Asking['ask'] = (options, person = 'anna') =>
    app.inject({ ...options, headers: { origin, ...(person && { 'x-person': person }), ...options.headers } })
  return {
    server,
    app,
    endpoints,
    ask,
    async target(person, name = 'Web', address = '127.90.1.1') {
      const payload = { name, address, schedule: { period: 'PERIOD_DAILY' }, tags: [] }
      const answer = await ask({ method: 'POST', url: '/v1/targets', payload }, person)
      if (answer.statusCode !== 200) throw new Error(answer.body)
      return answer.json<{ target: { id: string } }>().target
    },
    async close() {
      await api.close()
      await server.close()
    },
  }
}
