/** Routes, and the conversion of responses and errors to HTTP. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { completeProviderSignIn, forwardFormPost } from '#flow/oidc-callback.ts'
import { fetchFlow, openForm } from '#flow/fetch.ts'
import { startLogin, submitLogin } from '#flow/login.ts'
import { finishLogout, startLogout } from '#flow/logout.ts'
import { startRecovery, submitRecovery } from '#flow/recovery.ts'
import { startRegistration, submitRegistration } from '#flow/registration.ts'
import { fetchSettings, openSettings, startSettings, submitSettings } from '#flow/settings.ts'
import { openVerificationLink, startVerification, submitVerification } from '#flow/verification.ts'
import { bodyBytesMax } from '#http/body.ts'
import { listSchemas, getError, getSchema, storeError } from '#http/documents.ts'
import { WireError, errorObject, networkNotAllowed } from '#http/error.ts'
import { type HttpResponse, ensureCsrfToken, createExchange, redirect } from '#http/exchange.ts'
import { type Exchange, type Service, errorPageUrl, pageUrl } from '#service.ts'
import { deleteOtherSessions, deleteSession, listSessions, whoami } from '#http/sessions.ts'

import { scriptPath, serveScript } from '#webauthn/script.ts'

type Handler = (exchange: Exchange, parameter: string) => Promise<HttpResponse>
interface Route {
  readonly methods: readonly HTTPMethods[]
  readonly path: string
  readonly handler: Handler
  /** Errors are always JSON, because browsers don't navigate to this route. */
  readonly isJsonOnly?: boolean
  /** Sets a CSRF cookie even if the response is an error. */
  readonly setsCsrf?: boolean
}

const flows = '/self-service'
const get = (path: string, handler: Handler): Route => ({ methods: ['GET'], path, handler, setsCsrf: true })
const getJson = (path: string, handler: Handler): Route => ({ ...get(path, handler), isJsonOnly: true })
const getPage = (path: string, handler: Handler): Route => ({ methods: ['GET'], path, handler })
const post = (path: string, handler: Handler): Route => ({ methods: ['POST'], path, handler })
const jsonRoute = (methods: readonly HTTPMethods[], path: string, handler: Handler): Route => ({
  methods,
  path,
  handler,
  isJsonOnly: true,
})

const routes: readonly Route[] = [
  get(`${flows}/login/browser`, startLogin),
  getJson(`${flows}/login/flows`, fetchFlow('login')),
  post(`${flows}/login`, submitLogin),
  getPage(`${flows}/login`, openForm('login')),
  get(`${flows}/registration/browser`, startRegistration),
  getJson(`${flows}/registration/flows`, fetchFlow('registration')),
  post(`${flows}/registration`, submitRegistration),
  getPage(`${flows}/registration`, openForm('registration')),
  get(`${flows}/verification/browser`, startVerification),
  getJson(`${flows}/verification/flows`, fetchFlow('verification')),
  post(`${flows}/verification`, submitVerification),
  getPage(`${flows}/verification`, openVerificationLink),
  get(`${flows}/recovery/browser`, startRecovery),
  getJson(`${flows}/recovery/flows`, fetchFlow('recovery')),
  post(`${flows}/recovery`, submitRecovery),
  getPage(`${flows}/recovery`, openForm('recovery')),
  get(`${flows}/settings/browser`, startSettings),
  getJson(`${flows}/settings/flows`, fetchSettings),
  post(`${flows}/settings`, submitSettings),
  getPage(`${flows}/settings`, openSettings),
  getPage(`${flows}/methods/oidc/callback/:parameter`, completeProviderSignIn),
  post(`${flows}/methods/oidc/callback/:parameter`, forwardFormPost),
  get(`${flows}/logout/browser`, startLogout),
  getPage(`${flows}/logout`, finishLogout),
  getJson(`${flows}/errors`, getError),
  jsonRoute(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], '/sessions/whoami', whoami),
  jsonRoute(['GET'], '/sessions', listSessions),
  jsonRoute(['DELETE'], '/sessions', deleteOtherSessions),
  jsonRoute(['DELETE'], '/sessions/:parameter', deleteSession),
  getJson(scriptPath, serveScript),
  // For password managers: W3C, A Well-Known URL for Changing Passwords.
  getPage('/.well-known/change-password', async ({ service }) => redirect(pageUrl(service, 'settings'))),
  getJson('/schemas', listSchemas),
  jsonRoute(['GET'], '/schemas/:parameter', getSchema),
]

/**
 * Creates the Fastify plugin. It parses its own bodies and cookies and converts its own errors, without affecting the
 * host's parsers, hooks, and routes. Unknown paths are left to the host.
 */
export function buildPlugin(service: Service): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, bytes, done) => {
      done(null, bytes)
    })
    app.setErrorHandler(async (error, request, reply) => {
      // The client closed the connection before the end of the body, so its address is unknown and no response reaches it.
      if (request.socket.destroyed) return reply.code(400).send()
      const exchange = createExchange(service, request, app.prefix)
      await sendError(exchange, request, reply, toWireError(service, error, request), false)
      return reply
    })
    for (const route of routes) {
      app.route<{ Params: { parameter?: string } }>({
        method: [...route.methods],
        url: route.path,
        bodyLimit: bodyBytesMax,
        handler: async (request, reply) => {
          const exchange = createExchange(service, request, app.prefix)
          if (route.setsCsrf) ensureCsrfToken(exchange)
          try {
            if (isSignIn(route)) await requireAllowedAddress(exchange)
            sendResponse(exchange, request, reply, await route.handler(exchange, request.params.parameter ?? ''))
          } catch (error) {
            await sendError(exchange, request, reply, toWireError(service, error, request), route.isJsonOnly ?? false)
          }
          return reply
        },
      })
    }
    rejectOtherMethods(app)
  }
}

/** Signing out and reading the error of a flow are allowed from any address. */
function isSignIn({ path }: Route): boolean {
  return path.startsWith(flows) && !/\/(logout|errors)(\/|$)/.test(path)
}

async function requireAllowedAddress({ service, client: { ip } }: Exchange): Promise<void> {
  if (!(await service.isAllowedAddress(ip))) throw networkNotAllowed(ip)
}

/** Responds 405 to unsupported methods of known paths. */
function rejectOtherMethods(app: Parameters<FastifyPluginAsync>[0]): void {
  const all: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  for (const path of new Set(routes.map((route) => route.path))) {
    const served = routes.filter((route) => route.path === path).flatMap(({ methods }) => methods)
    const allow = served.includes('GET') ? [...served, 'HEAD'].sort() : served
    const others = all.filter((method) => !served.includes(method))
    if (others.length === 0) continue
    app.route({
      method: [...others],
      url: path,
      handler: async (_request, reply) =>
        reply
          .code(405)
          .headers({ Allow: allow.join(', '), 'Content-Type': 'text/plain; charset=utf-8' })
          .send('Method Not Allowed\n'),
    })
  }
}

function toWireError(service: Service, error: unknown, request: FastifyRequest): WireError {
  if (error instanceof WireError) return error
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500
  if (status === 413) return new WireError(413)
  if (typeof status === 'number' && status >= 400 && status < 500) return new WireError(400)
  service.log.error({ err: error, path: request.routeOptions.url }, 'identity request failed')
  return new WireError(isOutage(error) ? 503 : 500)
}

/**
 * True if the database is unreachable, starting up, shutting down, or out of connections (PostgreSQL classes 08, 53,
 * 57).
 */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|57P0|53300|08)/.test(code) ||
    /Connection terminated|timeout exceeded/.test(error.message)
  )
}

async function sendError(
  exchange: Exchange,
  request: FastifyRequest,
  reply: FastifyReply,
  error: WireError,
  isJsonOnly: boolean,
): Promise<void> {
  const id = request.headers['x-request-id']
  const requestId = typeof id === 'string' ? id.slice(0, 200) : undefined
  if (isJsonOnly || exchange.wantsJson) {
    const body = { error: errorObject(error, requestId), ...error.more.extra }
    const headers = {
      'Content-Type': 'application/json',
      'Ory-Error-Id': error.more.id ?? '',
      ...(error.code === 503 && { 'Retry-After': '5' }),
    }
    sendResponse(exchange, request, reply, { kind: 'json', status: error.code, body, headers })
    return
  }
  const { browser } = error.more
  const location = browser?.location ?? (await storeErrorPage(exchange.service, error, requestId))
  if (!location) {
    reply.code(error.code).type('text/plain; charset=utf-8').header('Retry-After', '5').send(`${error.message}\n`)
    return
  }
  sendResponse(exchange, request, reply, { kind: 'redirect', status: browser?.status ?? 303, location })
}

/** Stores an error and returns the URL of its page; null if the database is unavailable. */
async function storeErrorPage(service: Service, error: WireError, requestId?: string): Promise<string | null> {
  if (error.code === 503) return null
  try {
    return errorPageUrl(service, await storeError(service, error, requestId))
  } catch (cause) {
    service.log.error({ err: cause }, 'storing an identity error failed')
    return null
  }
}

function sendResponse(exchange: Exchange, request: FastifyRequest, reply: FastifyReply, response: HttpResponse): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  for (const line of exchange.setCookies.values()) reply.header('Set-Cookie', line)
  reply.header('Vary', varyWithCookie(reply.getHeader('Vary')))
  if (isRead) reply.header('Cache-Control', 'private, no-cache, no-store, must-revalidate')
  switch (response.kind) {
    case 'json':
      reply
        .code(response.status)
        .headers({ 'Content-Type': 'application/json; charset=utf-8', ...response.headers })
        .send(Buffer.from(`${encodeJson(response.body)}\n`))
      return
    case 'text':
      reply
        .code(200)
        .headers({ 'Content-Type': response.contentType, ...response.headers })
        .send(Buffer.from(response.body))
      return
    case 'empty':
      reply.code(204).send()
      return
    case 'redirect':
      reply.code(response.status).header('Location', response.location)
      if (isRead) reply.header('Content-Type', 'text/html; charset=utf-8').send(redirectPage(response))
      else reply.send()
  }
}

function varyWithCookie(vary: unknown): string {
  const fields = String(vary ?? '')
    .split(/\s*,\s*/)
    .filter(Boolean)
  return fields.some((field) => field.toLowerCase() === 'cookie') ? fields.join(', ') : [...fields, 'Cookie'].join(', ')
}

/** JSON that is also safe to embed in HTML. */
function encodeJson(body: unknown): string {
  return JSON.stringify(body).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
}

function redirectPage({ status, location }: Extract<HttpResponse, { kind: 'redirect' }>): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&#34;',
    "'": '&#39;',
  }
  const href = location.replace(/[&<>"']/g, (character) => entities[character] ?? '')
  return `<a href="${href}">${status === 302 ? 'Found' : 'See Other'}</a>.\n\n`
}
