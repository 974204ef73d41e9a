import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createLogger } from '#log.ts'
import { sharedTestServer } from '#testing/test-server.ts'
import { startTracing, traceRequests } from '#tracing.ts'

const server = await sharedTestServer()

const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(z.looseObject({ key: z.string() })) }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.looseObject({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              links: z.array(z.looseObject({ spanId: z.string() })).optional(),
              name: z.string(),
              status: z.looseObject({ code: z.number().optional() }),
              attributes: z.array(z.object({ key: z.string(), value: z.looseObject({}) })),
            }),
          ),
        }),
      ),
    }),
  ),
})

const incoming = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }

it('SEC-H3 exports linked spans of requests, statements, and jobs, without anything that a user wrote', async () => {
  const collector = await startCollector()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json')
  const lines: string[] = []
  const log = createLogger({ level: 'info', output: { write: (line) => void lines.push(line) } })
  const stop = await startTracing(log)

  const app = Fastify({ loggerInstance: log as FastifyBaseLogger }) // a pino logger, like Fastify's own
  traceRequests(app)
  app.post('/things/:id', async (request) => {
    await sql`select ${'a secret value'}::text as value`.execute(server.database.owner)
    await sql`select ${'no number'}::text::int`.execute(server.database.owner).catch(() => undefined)
    await server.database.owner.transaction().execute((tx) => server.jobs.enqueue(tx, 'mail', { mailId: 'm1' }))
    request.log.info('thing saved')
    return request.body
  })
  const headers = { traceparent: `00-${incoming.trace}-${incoming.span}-01` }
  const id = '01920005-0001-7000-8000-000000000001'
  await app.inject({ method: 'POST', url: `/things/${id}?token=hidden`, headers, payload: { a: 1 } })
  for (const url of ['/things/anna@example.ch', '/nothing/anna@example.ch']) await app.inject({ method: 'POST', url })
  const attempted = Promise.withResolvers<void>()
  await server.jobs.work('mail', 1, async () => {
    attempted.resolve()
    throw Object.assign(new Error('550 <anna@example.ch>'), { code: 'EENVELOPE' })
  })
  await attempted.promise
  await server.jobs.stopWork(10_000)
  await stop()

  const exported = collector.received.map((item) => Export.parse(item)).flatMap((item) => item.resourceSpans)
  const spans = exported.flatMap((item) => item.scopeSpans).flatMap((item) => item.spans)
  const [request, ...others] = spans.filter((span) => span.name === 'POST /things/:id')
  expect(request).toMatchObject({ traceId: incoming.trace, parentSpanId: incoming.span })
  expect(request?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 200 } })
  const statement = spans.find((span) => span.name === 'select')
  expect(statement).toMatchObject({ traceId: incoming.trace, parentSpanId: request?.spanId })
  expect(request?.attributes).toContainEqual({ key: 'url.path', value: { stringValue: `/things/${id}` } })
  expect(others[0]?.attributes).toContainEqual({ key: 'url.path', value: { stringValue: '/things/:id' } })
  const job = spans.find((span) => span.name === 'process mail')
  expect(job).toMatchObject({ status: { code: 2 }, links: [{ traceId: incoming.trace, spanId: expect.any(String) }] })
  expect(spans.find((span) => span.spanId === job?.links?.[0]?.spanId)).toEqual(request)
  expect(job?.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'EENVELOPE' } })
  expect(exported[0]?.resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'glacis' } })
  expect(JSON.stringify(exported)).not.toMatch(/secret value|no number|hidden|anna/)
  const line: unknown = JSON.parse(lines.find((item) => item.includes('thing saved')) ?? '{}')
  expect(line).toMatchObject({ trace_id: incoming.trace, span_id: request?.spanId })
  await collector.close()
})

/** Receives OTLP over HTTP as JSON. */
async function startCollector() {
  const received: unknown[] = []
  const http = createServer((request, response) => {
    void json(request).then((body) => {
      received.push(body)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const address = http.address()
  if (!address || typeof address === 'string') throw new Error('a TCP server has an address and a port')
  return {
    received,
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      http.close()
      await once(http, 'close')
    },
  }
}
