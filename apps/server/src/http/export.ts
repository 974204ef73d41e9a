/** Streams exports of issues and products. */
import { Readable } from 'node:stream'
import { ProductExportQuery } from '@glacis/contract/product'
import { ExportQuery } from '@glacis/contract/triage'
import { recordAuditEvent } from '#audit.ts'
import { type Database, inAccount } from '#database/index.ts'
import type { Guard } from '#http/guard.ts'
import { queryOf } from '#http/query.ts'
import { rejectUnstorable } from '#http/storable.ts'
import { exportProducts } from '#inventory/index.ts'
import { exportIssues } from '#issues/index.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Serves `/v1/issues/export` and `/v1/products/export`. Rows are streamed; an error closes the connection. */
export function serveExports(app: FastifyInstance, database: Database, guard: Guard): void {
  app.get('/v1/issues/export', async (request, reply) => {
    const as = await guard.admit(request)
    const input = ExportQuery.parse(questionOf(request))
    await inAccount(database, as, (ctx) =>
      recordAuditEvent(ctx, 'issue.export', { kind: 'account', id: as.account }, { ...input }),
    )
    const pieces = exportIssues((work) => inAccount(database, as, work), input)
    const day = new Date().toISOString().slice(0, 10)
    return reply
      .type(input.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
      .header('content-disposition', `attachment; filename="glacis-risks-${day}.${input.format}"`)
      .send(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }))
  })
  app.get('/v1/products/export', async (request, reply) => {
    const as = await guard.admit(request)
    const input = ProductExportQuery.parse(questionOf(request))
    const now = new Date()
    await inAccount(database, as, (ctx) =>
      recordAuditEvent(ctx, 'product.export', { kind: 'account', id: as.account }, { ...input }),
    )
    const pieces = exportProducts((work) => inAccount(database, as, work), input, now)
    const [type, ending] =
      input.format === 'csv' ? ['text/csv; charset=utf-8', 'csv'] : ['application/vnd.cyclonedx+json', 'cdx.json']
    const name = `glacis-technologies-${now.toISOString().slice(0, 10)}.${ending}`
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }))
  })
}

function questionOf({ url }: FastifyRequest): Record<string, unknown> {
  const question = queryOf(url)
  rejectUnstorable(question)
  return question
}
