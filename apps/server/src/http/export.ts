/** Streams exports of issues, products, the audit log, and whole workspaces. */
import { Readable, pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { AuditExportQuery } from '@glacis/contract/access'
import { ProductExportQuery } from '@glacis/contract/product'
import { ExportQuery } from '@glacis/contract/triage'
import { exportAuditEvents } from '#audit-export.ts'
import { recordAuditEvent } from '#audit.ts'
import { type Database, inWorkspace } from '#database/index.ts'
import type { Guard } from '#http/guard.ts'
import { fileQueryOf } from '#http/query.ts'
import { rejectUnstorable } from '#http/storable.ts'
import { exportProducts } from '#inventory/index.ts'
import { exportIssues } from '#issues/index.ts'
import { fileStem } from '#reports/index.ts'
import { getScan } from '#scans/index.ts'
import { exportWorkspace } from '#workspaces/index.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod/mini'

/**
 * Serves `/v1/issues/export`, `/v1/products/export`, and `/v1/audit-events/export`. Rows are streamed; an error closes
 * the connection.
 */
export function serveExports(app: FastifyInstance, database: Database, guard: Guard): void {
  app.get('/v1/issues/export', async (request, reply) => {
    const as = await guard.admit(request, 'exportIssues')
    const input = ExportQuery.parse(questionOf(request))
    const scanned = await inWorkspace(database, as, async (ctx) => {
      await recordAuditEvent(ctx, 'issue.export', { kind: 'workspace', id: as.workspace }, { ...input })
      const scanId = input.filter?.scanId
      return scanId === undefined ? undefined : (await getScan(ctx, { id: scanId })).scan.target
    })
    const pieces = exportIssues((work) => inWorkspace(database, as, work), input)
    const name = fileStem(scanned?.name ?? 'risks', new Date().toISOString())
    return reply
      .type(input.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
      .header('content-disposition', `attachment; filename="${name}.${input.format}"`)
      .send(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }))
  })
  app.get('/v1/products/export', async (request, reply) => {
    const as = await guard.admit(request, 'exportProducts')
    const input = ProductExportQuery.parse(questionOf(request))
    const now = new Date()
    await inWorkspace(database, as, (ctx) =>
      recordAuditEvent(ctx, 'product.export', { kind: 'workspace', id: as.workspace }, { ...input }),
    )
    const pieces = exportProducts((work) => inWorkspace(database, as, work), input, now)
    const [type, ending] =
      input.format === 'csv' ? ['text/csv; charset=utf-8', 'csv'] : ['application/vnd.cyclonedx+json', 'cdx.json']
    const name = `glacis-technologies-${now.toISOString().slice(0, 10)}.${ending}`
    return reply
      .type(type)
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }))
  })
  app.get('/v1/audit-events/export', async (request, reply) => {
    const as = await guard.admit(request, 'exportAuditEvents')
    const input = AuditExportQuery.parse(questionOf(request))
    await inWorkspace(database, as, (ctx) =>
      recordAuditEvent(ctx, 'audit.export', { kind: 'workspace', id: as.workspace }, { ...input }),
    )
    const pieces = exportAuditEvents((work) => inWorkspace(database, as, work), input)
    const day = new Date().toISOString().slice(0, 10)
    return reply
      .type(input.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8')
      .header('content-disposition', `attachment; filename="glacis-audit-${day}.${input.format}"`)
      .send(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }))
  })
}

/** Serves `/v1/workspace/export`, compressed while it is read. */
export function serveWorkspaceExport(app: FastifyInstance, database: Database, guard: Guard): void {
  app.get('/v1/workspace/export', { exposeHeadRoute: false }, async (request, reply) => {
    const as = await guard.admit(request, 'exportWorkspace')
    z.strictObject({}).parse(questionOf(request))
    await inWorkspace(database, as, (ctx) =>
      recordAuditEvent(ctx, 'workspace.export', { kind: 'workspace', id: as.workspace }),
    )
    const pieces = exportWorkspace((work) => inWorkspace(database, as, work))
    const compressed = createGzip()
    // An error closes the connection, so that a truncated file isn't taken for a complete one.
    pipeline(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }), compressed, (error) => {
      if (error) request.log.warn({ err: error }, 'workspace export failed')
    })
    const name = `glacis-workspace-${new Date().toISOString().slice(0, 10)}.jsonl.gz`
    return reply
      .type('application/gzip')
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(compressed)
  })
}

function questionOf({ url }: FastifyRequest): Record<string, unknown> {
  const question = fileQueryOf(url)
  rejectUnstorable(question)
  return question
}
