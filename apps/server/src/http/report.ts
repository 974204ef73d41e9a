/** Serves scan reports, which are built in the background. */
import { Id } from '@glacis/contract/primitives'
import { ReportQuery } from '@glacis/contract/scan'
import { recordAuditEvent } from '#audit.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import type { Guard } from '#http/guard.ts'
import { fileQueryOf } from '#http/query.ts'
import { collectReport, createBuilds } from '#reports/index.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** How long a request waits for the report before it gets 202 or a redirect. */
const waitMs = 20_000

/**
 * Serves `/v1/scans/:id/report` as PDF, JSON, or SARIF. If the report is not ready after 20 seconds, or immediately with
 * `Prefer: respond-async` (RFC 7240), the response is 202 with `Retry-After`. Browser navigations (`Sec-Fetch-Mode`) are
 * redirected to the same URL instead.
 */
export function serveReports(app: FastifyInstance, database: Database, guard: Guard): void {
  const builds = createBuilds()
  app.get<{ Params: { id: string } }>('/v1/scans/:id/report', async (request, reply) => {
    const as = await guard.admit(request, 'getScanReport')
    const id = Id.parse(request.params.id)
    const { download, format } = ReportQuery.parse(fileQueryOf(request.url))
    const model = await inWorkspace(database, as, (ctx) => collectReport(ctx, id))
    const report = await builds.get(as.workspace, model, format, prefersAsync(request) ? 0 : waitMs)
    if (report === 'building') {
      // A browser would save the 202 body as the file. It follows about twenty redirects before it gives up.
      if (request.headers['sec-fetch-mode'] === 'navigate') return reply.redirect(request.url, 303)
      return reply.status(202).header('retry-after', '1').send({ state: 'STATE_BUILDING' })
    }
    await inWorkspace(database, as, (ctx) => recordAuditEvent(ctx, 'report.download', { kind: 'scan', id }, { format }))
    const { body, contentType, filename } = report
    const disposition = download ? 'attachment' : 'inline'
    return reply.type(contentType).header('content-disposition', `${disposition}; filename="${filename}"`).send(body)
  })
}

function prefersAsync({ headers }: FastifyRequest): boolean {
  return String(headers['prefer'] ?? '').includes('respond-async')
}
