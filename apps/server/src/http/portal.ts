/** Serves the built portal: immutable hashed files, and a document for every route. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { sendNotFound } from '#http/errors.ts'
import type { FastifyInstance } from 'fastify'

/** Pages whose document doesn't load the app. On any other path, that document would reload itself forever. */
const publicPages = new Set(['/', '/login', '/registration', '/recovery', '/verification', '/error', '/logout'])

/**
 * Serves the portal from `folder`. Without a folder, unknown paths respond with 404.
 *
 * @param policy directives that the portal's page adds to the Content-Security-Policy
 * @param identityUrl base URL of the identity service; empty for the embedded one
 */
export async function servePortal(
  app: FastifyInstance,
  folder: string | null,
  policy: string | null,
  identityUrl = '',
): Promise<void> {
  const sessionPreload = `<${identityUrl}/sessions/whoami>; rel=preload; as=fetch; crossorigin=use-credentials`
  const isBuilt = folder !== null && existsSync(join(folder, 'index.html'))
  if (isBuilt) {
    await app.register(fastifyStatic, {
      root: folder,
      preCompressed: true,
      index: false,
      // Look up files per request: a build while the server runs adds files with new names.
      wildcard: true,
      // Paths without an extension are routes of the portal.
      allowedPath: (path) => /\.\w+$/.test(path),
      cacheControl: false,
      setHeaders(reply, path) {
        const isNamedByContent = path.includes('/files/')
        // Helmet sets headers on the raw response.
        const general = reply.raw.getHeader('content-security-policy')
        if (policy && /\.html(\.\w+)?$/.test(path))
          reply.header('content-security-policy', `${String(general)};${policy}`)
        reply.header('cache-control', isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    })
  }
  app.setNotFoundHandler(async (request, reply) => {
    const isPage = /^(GET|HEAD)$/.test(request.method) && /text\/html|\*\/\*/.test(request.headers.accept ?? '*/*')
    const isApi = /^\/(v1|docs|health|self-service|sessions|schemas|files|\.[^/]*)(\/|$)/.test(request.url)
    if (isBuilt && isPage && !isApi) {
      const isPublic = publicPages.has(request.url.replace(/\?.*/s, ''))
      // The app needs the session before its first data. Without cookies, there is none.
      if (!isPublic && request.headers.cookie !== undefined) reply.header('link', sessionPreload)
      return reply.type('text/html').sendFile(isPublic ? 'sign-in.html' : 'index.html')
    }
    return sendNotFound(request, reply)
  })
}
