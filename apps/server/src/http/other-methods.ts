/** A known path that is asked in a way it does not serve. */
import type { ApiError } from '@glacis/contract/primitives'
import type { FastifyInstance, HTTPMethods } from 'fastify'

const all: readonly HTTPMethods[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

/**
 * Notes the paths that are mounted from here on.
 *
 * @returns to be called when all of them are: their other methods are then answered by 405, with those that are served
 *   in `Allow` (RFC 9110, section 15.5.6)
 */
export function noteMethods(app: FastifyInstance): () => void {
  const served = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = served.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    served.set(url, methods)
  })
  return () => {
    // Refusing them mounts routes too.
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
      const message = `${request.method} is not served here; these are: ${allow}`
      return reply
        .status(405)
        .header('allow', allow)
        .send({ code: 12, message } satisfies ApiError)
    },
  })
}
