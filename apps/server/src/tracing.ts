/**
 * OpenTelemetry traces of requests, jobs, and database statements. The official SDK is configured by its own variables and is
 * loaded only if an endpoint is set; otherwise, spans are no-ops. Statements are recorded with placeholders, not with values.
 */
import {
  type Attributes,
  context,
  diag,
  DiagLogLevel,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LogEvent } from 'kysely'
import type { Log } from '#ctx.ts'
import { version } from '#version.ts'

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

/** For log lines: the ids of the active span; empty outside of one. */
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
    const attributes = {
      'http.request.method': method,
      'url.path': request.url.split('?')[0],
      'url.scheme': protocol,
    }
    spans.set(request, tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent))
  })
  // Reading the body loses the context, so it is set afterwards.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    context.with(span ? trace.setSpan(context.active(), span) : context.active(), done)
  })
  app.addHook('onResponse', async (request, { statusCode }) => {
    const span = spans.get(request)
    if (!span) return
    const route = request.routeOptions.url
    if (route) span.updateName(`${request.method} ${route}`).setAttribute('http.route', route)
    span.setAttribute('http.response.status_code', statusCode)
    if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  })
}

/** Runs a job in its own span. */
export function traceJob<T>(queue: string, data: object, run: () => Promise<T>): Promise<T> {
  const ids = Object.entries(data).map(([name, id]) => [`glacis.job.${name}`, id] as const)
  const attributes: Attributes = { 'messaging.destination.name': queue, ...Object.fromEntries(ids) }
  return tracer.startActiveSpan(`process ${queue}`, { kind: SpanKind.CONSUMER, attributes }, async (span) => {
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
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) })
}
