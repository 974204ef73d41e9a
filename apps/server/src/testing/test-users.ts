/** Test fixture: the API with several users, and their targets. */
import type { Endpoint } from '@glacis/contract/endpoint'
import { installValidationMessages } from '@glacis/contract/validation-messages'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { openTestApi } from '#testing/api.ts'
import { startTestServer, type TestServer } from '#testing/test-server.ts'

export interface TestUsers {
  readonly server: TestServer
  readonly app: FastifyInstance
  readonly endpoints: readonly Endpoint[]
  /** @param person the signed-in user; null for no session */
  request(options: InjectOptions, person?: string | null): Promise<LightMyRequestResponse>
  /** Creates a target. @throws if the request is rejected */
  target(person: string, name?: string, address?: string): Promise<{ readonly id: string }>
  close(): Promise<void>
}

const origin = 'http://localhost:3000'

/** @param more options of the API */
export async function openTestUsers(more: Parameters<typeof openTestApi>[2] = {}): Promise<TestUsers> {
  installValidationMessages()
  const server = await startTestServer()
  const api = await openTestApi(server, origin, more)
  const { app, endpoints } = api
  await app.ready()
  const request: TestUsers['request'] = (options, person = 'anna') =>
    app.inject({ ...options, headers: { origin, ...(person && { 'x-person': person }), ...options.headers } })
  return {
    server,
    app,
    endpoints,
    request,
    async target(person, name = 'Web', address = '127.90.1.1') {
      const payload = { name, address, schedule: { period: 'PERIOD_DAILY' }, tags: [] }
      const response = await request({ method: 'POST', url: '/v1/targets', payload }, person)
      if (response.statusCode !== 200) throw new Error(response.body)
      return response.json<{ target: { id: string } }>().target
    },
    async close() {
      await api.close()
      await server.close()
    },
  }
}
