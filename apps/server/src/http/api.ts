/** Mounts the API below `/v1`, its OpenAPI document, and the documentation pages. */
import type { ResolveTxt, SignInService, scim } from '#workspaces/index.ts'
import { createHash } from 'node:crypto'
import { agentArchive, archivePath } from '#agents/index.ts'
import type { Knowledge } from '@glacis/intelligence'
import type { Database } from '#database/index.ts'
import { sendNotFound } from '#http/errors.ts'
import { serveDocuments } from '#http/documents.ts'
import { serveLive } from '#http/live.ts'
import type { Guard } from '#http/guard.ts'
import { openApi } from '#http/openapi.ts'
import { serveReference } from '#http/reference.ts'
import { serveExports, serveWorkspaceExport } from '#http/export.ts'
import { trackPositions } from '#http/read-position.ts'
import { recordRoutes } from '#http/other-methods.ts'
import { serveReports } from '#http/report.ts'
import { serveSingleSignOn } from '#http/single-sign-on.ts'
import { serveScim } from '#http/scim.ts'
import { createRouter, type Router } from '#http/route.ts'
import { mountRunner, type RunnerOptions } from '#http/runner.ts'
import type { ScanNetworks } from '#scan-networks.ts'
import { serveApi } from '#http/routes/index.ts'
import type { Administration } from '#installation/index.ts'
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
  /** Allowed destinations of channel messages. */
  readonly egress: Sending['egress']
  /** Folder of the repository, for the documentation files. */
  readonly root: string
  readonly url: string
  /** The secret of the installation. */
  readonly secret: string
  readonly resolveTxt: ResolveTxt
  readonly signIn: SignInService
  /** Finds the person with a verified email address, if the embedded identity service is used. */
  readonly findPerson: scim.ScimService['findPerson']
  readonly feeds: FeedAddresses
  readonly knowledge: Knowledge
  readonly scanNetworks: ScanNetworks
  readonly administration: Administration
  /** Absent if agents can't connect. */
  readonly runner?: Omit<RunnerOptions, 'database' | 'live'>
}

/** Mounts the API; returns the router with all endpoints. */
export function mountApi(app: FastifyInstance, options: ApiOptions): Router {
  const { database, guard, root, url, runner } = options
  rejectTrailingSlash(app)
  const rejectOtherMethods = recordRoutes(app)
  trackPositions(app, database, url)
  const router = createRouter(app, database, guard)
  serveApi(router, options)
  serveLive(app, options)
  const agentCalls = runner ? mountRunner(app, { database, live: options.live, ...runner }) : []
  serveReports(app, database, guard)
  serveExports(app, database, guard)
  serveWorkspaceExport(app, database, guard)
  serveScim(app, options)
  if (!options.signIn.hasOwnIdentity) serveSingleSignOn(app, options)
  // Built on first request, to keep the start fast.
  let document: ReturnType<typeof openApi> | undefined
  app.get(
    '/v1/openapi.json',
    async () => (document ??= openApi([...router.endpoints, ...agentCalls], { url, version })),
  )
  serveReference(app)
  serveDocuments(app, root)
  if (runner) serveAgent(app, root)
  rejectOtherMethods()
  return router
}

/** The router would match a path that ends with a slash to a route with a parameter, which would be empty. */
function rejectTrailingSlash(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    if (/^\/v1\/[^?]*\/(\?|$)/.test(request.url)) return sendNotFound(request, reply)
  })
}

/** Serves the agent program, packaged on first request, and its version and digest for updates. */
function serveAgent(app: FastifyInstance, root: string): void {
  let archive: Promise<Buffer> | undefined
  const packaged = () => (archive ??= agentArchive(root))
  app.get(archivePath, async (_request, reply) => reply.type('application/gzip').send(await packaged()))
  app.get(archivePath.replace('.tgz', '.json'), async () => ({
    version,
    digest: createHash('sha256')
      .update(await packaged())
      .digest('hex'),
  }))
}
