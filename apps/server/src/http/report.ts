/** The one call that answers with a file that has to be built. */
import { Id } from '@glacis/contract/primitives'
import { ReportQuery } from '@glacis/contract/scan'
import { record } from '#audit.ts'
import { type Database, inAccount } from '#database/index.ts'
import type { Guard } from '#http/guard.ts'
import { queryOf } from '#http/query.ts'
import { collectReport, createBuilds } from '#reports/index.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** A browser that follows a link waits so long for a large report; then it is told to come again. */
const patienceMs = 20_000

/**
 * Serves `/v1/scans/:id/report`: PDF for people, JSON and SARIF for programs. While it is being built the answer
 * is 202 with `Retry-After`: at once to whoever prefers that (RFC 7240 `respond-async`), else after 20 seconds. A
 * browser that follows a link is sent to the same address again instead (`Sec-Fetch-Mode`, Fetch Metadata).
 */
export function serveReports(app: FastifyInstance, database: Database, guard: Guard): void {
  const builds = createBuilds()
  app.get<{ Params: { id: string } }>('/v1/scans/:id/report', async (request, reply) => {
    const as = await guard.admit(request)
    const id = Id.parse(request.params.id)
    const { download, format } = ReportQuery.parse(queryOf(request.url))
    const model = await inAccount(database, as, (ctx) => collectReport(ctx, id))
    const report = await builds.get(as.account, model, format, prefersAsync(request) ? 0 : patienceMs)
    if (report === 'building') {
      // Whoever follows a link would keep that answer as the file: a browser comes again, some twenty times.
      if (request.headers['sec-fetch-mode'] === 'navigate') return reply.redirect(request.url, 303)
      return reply.status(202).header('retry-after', '1').send({ state: 'STATE_BUILDING' })
    }
    await inAccount(database, as, (ctx) => record(ctx, 'report.download', { kind: 'scan', id }, { format }))
    const { body, contentType, filename } = report
    const disposition = download ? 'attachment' : 'inline'
    return reply.type(contentType).header('content-disposition', `${disposition}; filename="${filename}"`).send(body)
  })
}

function prefersAsync({ headers }: FastifyRequest): boolean {
  return String(headers['prefer'] ?? '').includes('respond-async')
}
