import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify from 'fastify'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { Browser, inProcess } from '#testing/browser.ts'
import { newAddress, portalUrl, register, sharedTestIdentity } from '#testing/test-identity.ts'
import { createIdentity } from '#index.ts'
import type { Tables } from '#store.ts'

const identity = await sharedTestIdentity()

/** A host with its own parsers, hooks, and error handler. */
async function createHost(overrides: { publicUrl: string; prefix: string; onSend?: (status: number) => void }) {
  const app = Fastify()
  app.addHook('onSend', async (_request, reply) => overrides.onSend?.(reply.statusCode))
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, _body, done) =>
    done(null, 'the host’s own'),
  )
  app.setErrorHandler((_error, _request, reply) => reply.code(418).send('the host’s own'))
  app.setNotFoundHandler((_request, reply) => reply.code(404).send('the host’s page'))
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Vary', 'Origin')
  })
  app.post('/echo', async (request) => ({ body: request.body }))
  const { plugin } = createIdentity({
    database: identity.database.db,
    publicUrl: overrides.publicUrl,
    portalUrl,
    lifespans: { sessionMs: 3600_000, flowMs: 3600_000, codeMs: 900_000, privilegedMs: 900_000 },
    secret: '5a'.repeat(32),
    enqueueMail: async () => undefined,
    deliver: async () => undefined,
    log: app.log,
  })
  await app.register(plugin, { prefix: overrides.prefix })
  return app
}

it("does not interfere with the host's parsers, hooks, and error handlers", async () => {
  const app = await createHost({ publicUrl: 'http://localhost:4433', prefix: '' })
  const browser = new Browser(inProcess(app))
  expect((await register(browser, newAddress())).status).toBe(200)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await browser.ask('POST', '/echo', { headers: form, body: 'a=b' })).body).toEqual({ body: 'the host’s own' })
  expect((await browser.post('/echo', { a: 1 })).body).toEqual({ body: { a: 1 } })
  expect((await browser.post('/echo', '{')).status).toBe(418)
  expect((await browser.get('/self-service/nonesuch')).text).toBe('the host’s page')
  expect((await browser.get('/sessions/whoami')).headers.vary).toBe('Origin, Cookie')
  await app.close()
})

it('SEC-A4 works under a path prefix and sets Secure cookies over HTTPS', async () => {
  const app = await createHost({ publicUrl: 'https://glacis.example/id/', prefix: '/id' })
  const browser = new Browser(inProcess(app))
  const { body, headers } = await browser.get('/id/self-service/login/browser?refresh=true')
  expect(body.request_url).toBe('https://glacis.example/id/self-service/login/browser?refresh=true')
  expect(body.ui.action).toBe(`https://glacis.example/id/self-service/login?flow=${body.id}`)
  expect(headers['set-cookie']).toMatch(/; HttpOnly; Secure; SameSite=Lax$/)
  await app.close()
})

it('SEC-G2 responds 503 with Retry-After while the database is unreachable', async () => {
  const pool = new pg.Pool({ host: '127.0.0.1', port: 9, connectionTimeoutMillis: 2000 })
  const app = Fastify()
  const { plugin } = createIdentity({
    database: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }),
    publicUrl: 'http://localhost:4433',
    portalUrl,
    lifespans: { sessionMs: 3600_000, flowMs: 3600_000, codeMs: 900_000, privilegedMs: 900_000 },
    secret: '5a'.repeat(32),
    enqueueMail: async () => undefined,
    deliver: async () => undefined,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  })
  await app.register(plugin)
  const browser = new Browser(inProcess(app))
  const fetched = await browser.get('/self-service/login/browser')
  const opened = await browser.open('/self-service/login/browser')
  expect([fetched.status, fetched.body.error.code, fetched.headers['retry-after']]).toEqual([503, 503, '5'])
  expect([opened.status, opened.headers['retry-after']]).toEqual([503, '5'])
  await app.close()
  await pool.end()
})

it('ignores requests that the client aborts before the end of the body', async () => {
  const { promise: completed, resolve: onSend } = Promise.withResolvers<number>()
  const app = await createHost({ publicUrl: 'http://localhost:4433', prefix: '', onSend })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), '127.0.0.1')
  const started = once(app.server, 'request')
  const head = 'POST /self-service/login?flow=x HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'
  socket.write(`${head}content-length: 100\r\n\r\n{"method":`)
  await started
  socket.destroy()
  // The error handler of the host would respond 418.
  expect(await completed).toBe(400)
  await app.close()
})

it('prevents caching', async () => {
  const { headers } = await identity.browser().get('/self-service/login/browser')
  expect(headers['cache-control']).toBe('private, no-cache, no-store, must-revalidate')
  expect(headers.vary).toBe('Cookie')
})

it('rejects an oversized body', async () => {
  const browser = identity.browser()
  const { body: flow } = await browser.get('/self-service/login/browser')
  const { status, body } = await browser.post(flow.ui.action, { password: 'x'.repeat(300_000) })
  expect([status, body.error.code]).toEqual([413, 413])
  expect((await browser.get('/sessions/whoami')).status).toBe(401)
})

it.each(['PUT', 'DELETE'] as const)('responds 405 to %s', async (method) => {
  const { status, headers, text } = await identity.browser().ask(method, '/self-service/login?flow=x')
  expect([status, headers.allow, text]).toEqual([405, 'GET, HEAD, POST', 'Method Not Allowed\n'])
})

it.each([
  '/self-service/login/browser?return_to=%00',
  '/self-service/login/browser?aal=%00',
  '/self-service/login/flows?id=%00',
  '/self-service/registration/browser?after_verification_return_to=javascript:alert(1)',
  '/self-service/verification?flow=%00&code=%00',
  '/self-service/errors?id=%00',
  '/self-service/logout?token=%00',
  '/schemas/%00',
  '/sessions?page_size=-1',
])('responds to invalid input with a client error: %s', async (url) => {
  for (const { status, headers } of [await identity.browser().get(url), await identity.browser().open(url)]) {
    expect(status).toBeGreaterThanOrEqual(300)
    expect(status).toBeLessThan(500)
    if (headers.location) expect(headers.location).toMatch(new RegExp(`^${portalUrl}/error\\?id=`))
  }
})

it('stores an error for the error page', async () => {
  const browser = identity.browser()
  const { headers } = await browser.open('/self-service/login/browser?aal=aal2')
  const id = String(headers.location).split('=')[1]
  const { body } = await browser.get(`/self-service/errors?id=${id}`)
  expect(body).toMatchObject({ id, error: { id: 'session_aal1_required', code: 401 } })
})

it('escapes user input in JSON and HTML', async () => {
  const { text } = await identity.browser().get('/self-service/login/browser?aal=<script>&refresh=true')
  expect(text).not.toMatch(/[<>&]/)
})

it('redirects the well-known change-password URL to the profile', async () => {
  const { status, headers } = await identity.browser().open('/.well-known/change-password')
  expect([status, headers.location]).toEqual([303, `${portalUrl}/profile`])
})

it('serves the identity schema under both IDs', async () => {
  const browser = identity.browser()
  const [plain, slug] = [await browser.get('/schemas/default'), await browser.get('/schemas/ZGVmYXVsdA')]
  expect(plain.body.properties.traits.required).toEqual(['email', 'name'])
  expect(slug.body).toEqual(plain.body)
  expect((await browser.get('/schemas')).body).toEqual([{ id: 'default', schema: plain.body }])
})
