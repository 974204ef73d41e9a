/** Redirects browsers to the provider of a workspace and back, with an external identity service. */
import { Id } from '@glacis/contract/primitives'
import type { Visit } from '#ctx.ts'
import type { Database } from '#database/index.ts'
import { ApiError, notFound } from '#errors.ts'
import type { Guard } from '#http/guard.ts'
import { type Redirect, type SignInService, createSingleSignOn } from '#workspaces/index.ts'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

interface Dependencies {
  readonly database: Database
  readonly guard: Guard
  readonly signIn: SignInService
}

/**
 * Serves `/v1/sign-in-provider/{workspace}/start`, which redirects to the provider, and `…/callback`, its redirect URI.
 * Both redirect to pages of the portal, which show errors.
 */
export function serveSingleSignOn(app: FastifyInstance, { database, guard, signIn }: Dependencies): void {
  const log: FastifyBaseLogger = app.log
  const singleSignOn = createSingleSignOn({ database, signIn, log })
  app.get('/v1/sign-in-provider/:workspaceId/start', { exposeHeadRoute: false }, async (request, reply) => {
    const workspace = workspaceIn(request)
    const returnTo = urlOf(request, signIn).searchParams.get('return_to')
    return send(reply, await singleSignOn.start(await visitOf(guard, request), workspace, returnTo))
  })
  app.get('/v1/sign-in-provider/:workspaceId/callback', { exposeHeadRoute: false }, async (request, reply) => {
    const workspace = workspaceIn(request)
    const visit = await visitOf(guard, request)
    return send(reply, await singleSignOn.complete(visit, workspace, urlOf(request, signIn), request.headers.cookie))
  })
}

/** Null without a session. */
async function visitOf(guard: Guard, request: FastifyRequest): Promise<Visit | null> {
  try {
    return await guard.admitPerson(request)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthenticated') return null
    throw error
  }
}

function workspaceIn({ params }: FastifyRequest): string {
  const { workspaceId } = params as { readonly workspaceId: string } // set by Fastify
  if (!Id.safeParse(workspaceId).success) throw notFound('workspace', workspaceId.slice(0, 100))
  return workspaceId.toLowerCase()
}

function urlOf({ url }: FastifyRequest, site: { readonly url: string }): URL {
  return new URL(site.url + url)
}

function send(reply: FastifyReply, { url, cookie }: Redirect): FastifyReply {
  // The query of a callback contains the provider's code.
  void reply.header('referrer-policy', 'no-referrer')
  if (cookie !== undefined) void reply.header('set-cookie', cookie)
  return reply.redirect(url, 303)
}
