/** Responds with 405 to unsupported methods of known paths. */
import type { ApiErrorBody } from '@glacis/contract/primitives'
import type { FastifyInstance, HTTPMethods } from 'fastify'

const all: readonly HTTPMethods[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

/**
 * Records the routes that are added from now on.
 *
 * @returns a function to call after all routes are added. It makes their other methods respond with 405 and an `Allow`
 *   header (RFC 9110, section 15.5.6).
 */
export function noteMethods(app: FastifyInstance): () => void {
  const served = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = served.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    served.set(url, methods)
  })
  return () => {
    // Copied, because `refuse` adds routes itself.
    for (const [url, methods] of [...served].map(([path, set]) => [path, [...set]] as const)) refuse(app, url, methods)
  }
}

function refuse(app: FastifyInstance, url: string, served: readonly string[]): void {
  const method = all.filter((one) => !served.includes(one))
  if (method.length === 0) return
  const allow = served.toSorted().join(', ')
  app.route({
    method,
    url,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const message = `${request.method} is not allowed; use ${allow}`
      return reply
        .status(405)
        .header('allow', allow)
        .send({ code: 12, message } satisfies ApiErrorBody)
    },
  })
}
