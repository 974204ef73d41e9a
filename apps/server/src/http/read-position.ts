/**
 * Lets users see their own changes when a replica serves reads: each change sets a cookie with its position in the
 * database, and the replica serves their reads only once it contains that position.
 */
import type { Database } from '#database/index.ts'
import { isPosition } from '#database/replica.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const cookieName = 'glacis_position'
/** Longer than a replica may be behind; then it isn't used at all. */
const lifeSeconds = 60

/** Sets the cookie in the responses to all changes. */
export function trackPositions(app: FastifyInstance, { replica }: Database, url: string): void {
  if (!replica) return
  const attributes = `Path=/v1; Max-Age=${lifeSeconds}; HttpOnly; SameSite=Lax${url.startsWith('https:') ? '; Secure' : ''}`
  app.addHook('onSend', async (request, reply) => {
    const isChange = request.method !== 'GET' && request.method !== 'HEAD'
    if (!isChange || request.headers.cookie === undefined || reply.statusCode >= 400) return
    reply.header('set-cookie', `${cookieName}=${await replica.position()}; ${attributes}`)
  })
}

/** The position of the person's last change; undefined without a recent one. */
export function positionOf({ headers }: FastifyRequest): string | undefined {
  const position = new RegExp(`(?:^|; ?)${cookieName}=([^;]*)`).exec(headers.cookie ?? '')?.[1]
  return position !== undefined && isPosition(position) ? position : undefined
}
