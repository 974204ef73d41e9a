/**
 * OpenTelemetry traces of requests, jobs, and database statements. The official SDK is configured by its own variables
 * and is loaded only if an endpoint is set; otherwise, spans are no-ops. Spans contain nothing that a user wrote:
 * statements have placeholders instead of values, paths have only IDs, and errors have only a code, because messages
 * can quote addresses and URLs.
 */
import {
  type Context,
  context,
  diag,
  DiagLogLevel,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LogEvent } from 'kysely'
import { z } from 'zod'
import type { Log } from '#ctx.ts'
import { version } from '#version.ts'

const Uuid = z.uuid()
const tracer = trace.getTracer('glacis', version)

/** @returns a function that exports the remaining spans and stops */
export async function startTracing(log: Log): Promise<() => Promise<void>> {
  const [{ NodeSDK }, { defaultResource, resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/resources'),
  ])
  const resource = defaultResource().merge(
    resourceFromAttributes({ 'service.name': 'glacis', 'service.version': version }),
  )
  const sdk = new NodeSDK({ resource, metricReaders: [], logRecordProcessors: [] })
  sdk.start()
  const ignore = () => undefined
  const error = (message: string) => log.warn({ error: message }, 'traces not exported')
  diag.setLogger(
    { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  )
  return () => sdk.shutdown()
}

/** For log lines: the IDs of the active span; empty outside of one. */
export function activeTrace(): { trace_id?: string; span_id?: string } {
  const active = trace.getActiveSpan()?.spanContext()
  return active ? { trace_id: active.traceId, span_id: active.spanId } : {}
}

/** Gives each request a span, which continues the trace of its `traceparent` header. Call before routes are registered. */
export function traceRequests(app: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', async (request) => {
    const parent = propagation.extract(context.active(), request.headers)
    const { method, protocol } = request
    const attributes = { 'http.request.method': method, 'url.scheme': protocol }
    spans.set(request, tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent))
  })
  // Reading the body loses the context, so it is set afterward.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    context.with(span ? trace.setSpan(context.active(), span) : context.active(), done)
  })
  app.addHook('onResponse', async (request, { statusCode }) => {
    const span = spans.get(request)
    if (!span) return
    const route = request.routeOptions.url
    if (route) {
      span.updateName(`${request.method} ${route}`)
      span.setAttributes({ 'http.route': route, 'url.path': pathOf(request, route) })
    }
    span.setAttribute('http.response.status_code', statusCode)
    if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  })
}

/** The path, unless it has a parameter that isn't an ID: then, the route. */
function pathOf(request: FastifyRequest, route: string): string {
  const parameters = Object.values(Object(request.params))
  return parameters.every((value) => Uuid.safeParse(value).success) ? (request.url.split('?')[0] ?? '') : route
}

/** Part of the data of a job that is enqueued now: the active span, if any. */
export function jobOrigin(): { readonly traceparent?: string } {
  const { traceparent } = Object(carrierOf(context.active()))
  return typeof traceparent === 'string' ? { traceparent } : {}
}

function carrierOf(active: Context): object {
  const carrier = {}
  propagation.inject(active, carrier)
  return carrier
}

/** Runs a job in its own trace, which links to the span that enqueued it: a job can be retried for days. */
export function traceJob<T>(queue: string, data: object, run: () => Promise<T>): Promise<T> {
  const { traceparent, ...ids }: { traceparent?: unknown } = data
  const origin = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, { traceparent }))
  const options: SpanOptions = {
    kind: SpanKind.CONSUMER,
    attributes: {
      'messaging.destination.name': queue,
      ...Object.fromEntries(Object.entries(ids).map(([name, id]) => [`glacis.job.${name}`, id])),
    },
    links: origin ? [{ context: origin }] : [],
  }
  return tracer.startActiveSpan(`process ${queue}`, options, async (span) => {
    try {
      return await run()
    } catch (error) {
      fail(span, error)
      throw error
    } finally {
      span.end()
    }
  })
}

/** Adds a span for a statement that has just ended. */
export function traceStatement(event: LogEvent): void {
  if (!trace.getActiveSpan()?.isRecording()) return
  const { sql } = event.query
  const [operation = 'statement'] = sql.trimStart().split(/\s/, 1)
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql }
  const startTime = Date.now() - event.queryDurationMillis
  const span = tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes, startTime })
  if (event.level === 'error') fail(span, event.error)
  span.end()
}

function fail(span: Span, error: unknown): void {
  const { code, name } = Object(error)
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', String(code ?? name ?? typeof error))
}
