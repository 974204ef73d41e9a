/** Responds with 405 to unsupported methods of known paths. */
import type { ApiErrorBody } from '@glacis/contract/primitives'
import type { FastifyInstance } from 'fastify'

/**
 * Records the routes that are added from now on.
 *
 * @returns a function to call after all routes are added. It makes their other methods respond with 405 and an `Allow`
 *   header (RFC 9110, section 15.5.6).
 */
export function recordRoutes(app: FastifyInstance): () => void {
  const methodsByUrl = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set()
    for (const item of [method].flat()) methods.add(item)
    methodsByUrl.set(url, methods)
  })
  return () => {
    // Copied, because `rejectMethods` adds routes itself.
    for (const [url, methods] of [...methodsByUrl].map(([path, set]) => [path, [...set]] as const))
      rejectMethods(app, url, methods)
  }
}

function rejectMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const method = app.supportedMethods.filter((item) => !allowed.includes(item))
  if (method.length === 0) return
  const allow = allowed.toSorted().join(', ')
  app.route({
    method,
    url,
    exposeHeadRoute: false,
    // Before the body is parsed, so that its errors don't come first.
    onRequest: async (request, reply) => {
      const message = `${request.method} is not allowed; use ${allow}`
      return reply
        .status(405)
        .header('allow', allow)
        .send({ code: 12, message } satisfies ApiErrorBody)
    },
    handler: () => undefined,
  })
}
