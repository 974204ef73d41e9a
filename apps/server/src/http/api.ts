/** Everything below /v1, its document, and the pages about it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '#database/index.ts'
import type { Guard } from '#http/guard.ts'
import { openApi } from '#http/openapi.ts'
import { referencePage, referenceStyle } from '#http/reference.ts'
import { serveReports } from '#http/report.ts'
import { createRouter, type Router } from '#http/route.ts'
import { serveApi } from '#http/routes/index.ts'
import type { Jobs } from '#jobs.ts'
import { version } from '#version.ts'
import type { FastifyInstance } from 'fastify'

export interface ApiOptions {
  readonly database: Database
  readonly jobs: Jobs
  readonly guard: Guard
  /** Folder of the project, for the texts that it ships with. */
  readonly root: string
  readonly url: string
}

/** Mounts the product API; answers the router, which knows every call. */
export function mountApi(app: FastifyInstance, { database, jobs, guard, root, url }: ApiOptions): Router {
  const router = createRouter(app, database, guard)
  serveApi(router, { jobs })
  serveReports(app, database, guard)
  const document = openApi(router.endpoints, { url, version })
  const page = referencePage(document)
  app.get('/v1/openapi.json', async () => document)
  app.get('/docs/api', async (_request, reply) => reply.type('text/html').send(page))
  app.get('/docs/api.css', async (_request, reply) => reply.type('text/css').send(referenceStyle))
  serveTexts(app, root)
  return router
}

/** The texts that the portal links to, as they stand in the project, so that they are there without a network. */
const texts = { licence: 'LICENSE', releases: 'CHANGELOG.md', help: 'README.md' } as const

function serveTexts(app: FastifyInstance, root: string): void {
  for (const [name, file] of Object.entries(texts)) {
    const path = join(root, file)
    if (!existsSync(path)) continue
    const text = readFileSync(path, 'utf8')
    app.get(`/docs/${name}`, async (_request, reply) => reply.type('text/plain; charset=utf-8').send(text))
  }
}
