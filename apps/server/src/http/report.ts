/** The one call that answers with a file. */
import { Id } from '@glacis/contract/primitives'
import { ReportQuery } from '@glacis/contract/scan'
import { fromQueryString } from '@glacis/contract/query-string'
import { record } from '#audit.ts'
import { type Database, inAccount } from '#database/index.ts'
import type { Guard } from '#http/guard.ts'
import { collectReport, renderReport } from '#reports/index.ts'
import type { FastifyInstance } from 'fastify'

/** Serves `/v1/scans/:id/report`: PDF for people, JSON for programs. */
export function serveReports(app: FastifyInstance, database: Database, guard: Guard): void {
  app.get<{ Params: { id: string } }>('/v1/scans/:id/report', async (request, reply) => {
    const as = await guard.admit(request)
    const id = Id.parse(request.params.id)
    const { download, format } = ReportQuery.parse(fromQueryString(request.url.split('?', 2)[1] ?? ''))
    const model = await inAccount(database, as, async (ctx) => {
      const collected = await collectReport(ctx, id)
      await record(ctx, 'report.download', { kind: 'scan', id }, { format })
      return collected
    })
    const { body, contentType, filename } = await renderReport(model, format)
    const disposition = download ? 'attachment' : 'inline'
    return reply.type(contentType).header('content-disposition', `${disposition}; filename="${filename}"`).send(body)
  })
}
