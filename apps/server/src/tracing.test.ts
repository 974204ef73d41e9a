import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createLogger } from '#log.ts'
import { sharedTestServer } from '#testing/test-server.ts'
import { startTracing, traceJob, traceRequests } from '#tracing.ts'

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

it('exports spans of requests with their statements, and of failed jobs', async () => {
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
    request.log.info('thing saved')
    return request.body
  })
  const headers = { traceparent: `00-${incoming.trace}-${incoming.span}-01` }
  await app.inject({ method: 'POST', url: '/things/17?token=hidden', headers, payload: { a: 1 } })
  const failing = traceJob('delivery', { deliveryId: 'd1' }, async () => Promise.reject(new Error('no route')))
  await expect(failing).rejects.toThrow('no route')
  await stop()

  const exported = collector.received.map((item) => Export.parse(item)).flatMap((item) => item.resourceSpans)
  const spans = exported.flatMap((item) => item.scopeSpans).flatMap((item) => item.spans)
  const [request] = spans.filter((span) => span.name === 'POST /things/:id')
  expect(request).toMatchObject({ traceId: incoming.trace, parentSpanId: incoming.span })
  expect(request?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 200 } })
  const statement = spans.find((span) => span.name === 'select')
  expect(statement).toMatchObject({ traceId: incoming.trace, parentSpanId: request?.spanId })
  expect(spans.find((span) => span.name === 'process delivery')?.status).toEqual({ code: 2, message: 'no route' })
  expect(exported[0]?.resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'glacis' } })
  expect(JSON.stringify(exported)).not.toMatch(/secret value|hidden/)
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
