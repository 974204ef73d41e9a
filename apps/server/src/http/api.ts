/** Everything below /v1, its document, and the pages about it. */
import { gzipSync } from 'node:zlib'
import { agentArchive, archivePath } from '#agents/index.ts'
import type { Knowledge } from '@glacis/intelligence'
import type { Database } from '#database/index.ts'
import { serveDocuments } from '#http/documents.ts'
import { serveLive } from '#http/live.ts'
import type { Guard } from '#http/guard.ts'
import { openApi } from '#http/openapi.ts'
import { referencePage, referenceStyle } from '#http/reference.ts'
import { serveExports } from '#http/export.ts'
import { noteMethods } from '#http/other-methods.ts'
import { serveReports } from '#http/report.ts'
import { createRouter, type Router } from '#http/route.ts'
import { mountRunner, type RunnerOptions } from '#http/runner.ts'
import { serveApi } from '#http/routes/index.ts'
import type { Jobs } from '#jobs.ts'
import type { Live } from '#live.ts'
import type { Sending } from '#notifications/index.ts'
import type { FeedAddresses } from '#packs/index.ts'
import { version } from '#version.ts'
import type { FastifyInstance } from 'fastify'

export interface ApiOptions {
  readonly database: Database
  readonly jobs: Jobs
  readonly guard: Guard
  readonly live: Live
  readonly mailer: Sending['mailer']
  /** Where messages of channels may go. */
  readonly gate: Sending['gate']
  /** Folder of the project, for the texts that it ships with. */
  readonly root: string
  readonly url: string
  readonly feeds: FeedAddresses
  readonly knowledge: Knowledge
  /** Absent where no agent may connect. */
  readonly runner?: Omit<RunnerOptions, 'database' | 'live'>
}

/** Mounts the product API; answers the router, which knows every call. */
export function mountApi(app: FastifyInstance, options: ApiOptions): Router {
  const { database, guard, root, url, runner } = options
  const refuseOtherMethods = noteMethods(app)
  const router = createRouter(app, database, guard)
  serveApi(router, options)
  serveLive(app, options)
  const agentCalls = runner ? mountRunner(app, { database, live: options.live, ...runner }) : []
  serveReports(app, database, guard)
  serveExports(app, database, guard)
  // Made when first asked for: every call is in it, and a start need not wait for that.
  let made: ReturnType<typeof openApi> | undefined
  const document = () => (made ??= openApi([...router.endpoints, ...agentCalls], { url, version }))
  app.get('/v1/openapi.json', async () => document())
  serveReference(app, document)
  serveDocuments(app, root)
  if (runner) serveAgent(app, root)
  refuseOtherMethods()
  return router
}

/** Hundreds of kilobytes of words about every call: nearly all browsers take them packed. */
function serveReference(app: FastifyInstance, document: () => ReturnType<typeof openApi>): void {
  let page: Buffer | undefined
  let packed: Buffer | undefined
  app.get('/docs/api', async (request, reply) => {
    page ??= Buffer.from(referencePage(document()))
    reply.type('text/html; charset=utf-8').header('vary', 'accept-encoding')
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(page)
    return reply.header('content-encoding', 'gzip').send((packed ??= gzipSync(page)))
  })
  for (const url of ['/docs', '/docs/']) app.get(url, async (_request, reply) => reply.redirect('/docs/api'))
  app.get('/docs/api.css', async (_request, reply) => reply.type('text/css').send(referenceStyle))
}

/** The program of the agent, built from this installation when it is first asked for. */
function serveAgent(app: FastifyInstance, root: string): void {
  let archive: Promise<Buffer> | undefined
  app.get(archivePath, async (_request, reply) =>
    reply.type('application/gzip').send(await (archive ??= agentArchive(root))),
  )
}
