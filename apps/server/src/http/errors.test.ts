import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { installErrorHandlers } from '#http/errors.ts'

it.each([
  ['53100', 'disk full', 503, '60'],
  ['53200', 'out of memory', 503, '60'],
  ['ENOSPC', 'no space left on device', 503, '60'],
  ['53300', 'too many clients', 503, '5'],
  ['57P01', 'shutting down', 503, '5'],
  ['', 'Connection terminated unexpectedly', 503, '5'],
  ['', 'Client has encountered a connection error and is not queryable', 503, '5'],
  ['', 'Postgres connection has been discarded', 503, '5'],
  ['', 'driver has already been destroyed', 503, '5'],
  ['23505', 'a bug', 500, undefined],
])('responds to %s, %s, with %i', async (code, message, status, retryAfter) => {
  const app = Fastify()
  installErrorHandlers(app)
  app.get('/', () => Promise.reject(Object.assign(new Error(message), { code })))
  const response = await app.inject({ url: '/' })
  expect([response.statusCode, response.headers['retry-after']]).toEqual([status, retryAfter])
})
