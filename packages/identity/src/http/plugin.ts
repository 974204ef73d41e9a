/** The routes, and the one place where answers and refusals become HTTP. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { finishJourney, forwardJourney } from '#flow/callback.ts'
import { fetchFlow } from '#flow/fetch.ts'
import { openLogin, startLogin, submitLogin } from '#flow/login.ts'
import { finishLogout, startLogout } from '#flow/logout.ts'
import { openRecovery, startRecovery, submitRecovery } from '#flow/recovery.ts'
import { openRegistration, startRegistration, submitRegistration } from '#flow/registration.ts'
import { fetchSettings, openSettings, startSettings, submitSettings } from '#flow/settings.ts'
import { openVerificationLink, startVerification, submitVerification } from '#flow/verification.ts'
import { bodyBytesMax } from '#http/body.ts'
import { listSchemas, showError, showSchema, storeError } from '#http/documents.ts'
import { WireError, errorObject } from '#http/error.ts'
import { type Answer, csrfOf, openExchange, redirect } from '#http/exchange.ts'
import { type Exchange, type Service, errorPageUrl, pageUrl } from '#service.ts'
import { deleteOtherSessions, deleteSession, listSessions, whoami } from '#http/sessions.ts'

import { scriptPath, showScript } from '#webauthn/script.ts'

type Handler = (exchange: Exchange, parameter: string) => Promise<Answer>
interface Route {
  readonly methods: readonly HTTPMethods[]
  readonly path: string
  readonly answer: Handler
  /** Refusals are JSON whatever the client prefers: only programs call this. */
  readonly isJsonOnly?: boolean
  /** Sees a CSRF cookie set even where the answer is a refusal. */
  readonly setsCsrf?: boolean
  /** Changes nothing that a session shows. */
  readonly isRead?: boolean
}

const flows = '/self-service'
const get = (path: string, answer: Handler): Route => ({ methods: ['GET'], path, answer, setsCsrf: true })
const getJson = (path: string, answer: Handler): Route => ({ ...get(path, answer), isJsonOnly: true, isRead: true })
const open = (path: string, answer: Handler): Route => ({ methods: ['GET'], path, answer })
const post = (path: string, answer: Handler): Route => ({ methods: ['POST'], path, answer })
const plain = (methods: readonly HTTPMethods[], path: string, answer: Handler): Route => ({
  methods,
  path,
  answer,
  isJsonOnly: true,
})

const routes: readonly Route[] = [
  get(`${flows}/login/browser`, startLogin),
  getJson(`${flows}/login/flows`, fetchFlow('login')),
  post(`${flows}/login`, submitLogin),
  open(`${flows}/login`, openLogin),
  get(`${flows}/registration/browser`, startRegistration),
  getJson(`${flows}/registration/flows`, fetchFlow('registration')),
  post(`${flows}/registration`, submitRegistration),
  open(`${flows}/registration`, openRegistration),
  get(`${flows}/verification/browser`, startVerification),
  getJson(`${flows}/verification/flows`, fetchFlow('verification')),
  post(`${flows}/verification`, submitVerification),
  open(`${flows}/verification`, openVerificationLink),
  get(`${flows}/recovery/browser`, startRecovery),
  getJson(`${flows}/recovery/flows`, fetchFlow('recovery')),
  post(`${flows}/recovery`, submitRecovery),
  open(`${flows}/recovery`, openRecovery),
  get(`${flows}/settings/browser`, startSettings),
  getJson(`${flows}/settings/flows`, fetchSettings),
  post(`${flows}/settings`, submitSettings),
  open(`${flows}/settings`, openSettings),
  open(`${flows}/methods/oidc/callback/:parameter`, finishJourney),
  post(`${flows}/methods/oidc/callback/:parameter`, forwardJourney),
  get(`${flows}/logout/browser`, startLogout),
  open(`${flows}/logout`, finishLogout),
  getJson(`${flows}/errors`, showError),
  { ...plain(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], '/sessions/whoami', whoami), isRead: true },
  { ...plain(['GET'], '/sessions', listSessions), isRead: true },
  plain(['DELETE'], '/sessions', deleteOtherSessions),
  plain(['DELETE'], '/sessions/:parameter', deleteSession),
  getJson(scriptPath, showScript),
  // Where password managers look for the form: W3C, A Well-Known URL for Changing Passwords.
  open('/.well-known/change-password', async ({ service }) => redirect(pageUrl(service, 'settings'))),
  getJson('/schemas', listSchemas),
  plain(['GET'], '/schemas/:parameter', showSchema),
]

/**
 * The service as a Fastify plugin. It reads its own bodies and cookies and answers its own errors, and
 * leaves the host's parsers, hooks and other routes as they are; unknown paths are the host's.
 */
export function buildPlugin(service: Service): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, bytes, done) => {
      done(null, bytes)
    })
    app.setErrorHandler(async (error, request, reply) => {
      const exchange = openExchange(service, request, app.prefix)
      await refuse(exchange, request, reply, wireError(service, error, request), false)
      return reply
    })
    for (const route of routes) {
      app.route<{ Params: { parameter?: string } }>({
        method: [...route.methods],
        url: route.path,
        bodyLimit: bodyBytesMax,
        handler: async (request, reply) => {
          const exchange = openExchange(service, request, app.prefix)
          if (route.setsCsrf) csrfOf(exchange)
          try {
            send(exchange, request, reply, await route.answer(exchange, request.params.parameter ?? ''))
          } catch (error) {
            await refuse(exchange, request, reply, wireError(service, error, request), route.isJsonOnly ?? false)
          }
          return reply
        },
      })
    }
    refuseOtherMethods(app)
  }
}

/** A known path asked in a way that it does not serve. */
function refuseOtherMethods(app: Parameters<FastifyPluginAsync>[0]): void {
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

function wireError(service: Service, error: unknown, request: FastifyRequest): WireError {
  if (error instanceof WireError) return error
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500
  if (status === 413) return new WireError(413)
  if (typeof status === 'number' && status >= 400 && status < 500) return new WireError(400)
  service.log.error({ err: error, path: request.routeOptions.url }, 'identity request failed')
  return new WireError(isOutage(error) ? 503 : 500)
}

/** The database cannot be reached, or is shutting down or starting up; see PostgreSQL's class 57 and 53 codes. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|57P0|53300|08)/.test(code) ||
    /Connection terminated|timeout exceeded/.test(error.message)
  )
}

async function refuse(
  exchange: Exchange,
  request: FastifyRequest,
  reply: FastifyReply,
  error: WireError,
  isJsonOnly: boolean,
): Promise<void> {
  const id = request.headers['x-request-id']
  const requestId = typeof id === 'string' ? id.slice(0, 200) : undefined
  if (isJsonOnly || exchange.wantsJson) {
    const body = { error: errorObject(error, requestId), ...error.more.beside }
    const headers = {
      'Content-Type': 'application/json',
      'Ory-Error-Id': error.more.id ?? '',
      ...(error.code === 503 && { 'Retry-After': '5' }),
    }
    send(exchange, request, reply, { kind: 'json', status: error.code, body, headers })
    return
  }
  const { browser } = error.more
  const location = browser?.location ?? (await errorPage(exchange.service, error, requestId))
  if (!location) {
    reply.code(error.code).type('text/plain; charset=utf-8').header('Retry-After', '5').send(`${error.message}\n`)
    return
  }
  send(exchange, request, reply, { kind: 'redirect', status: browser?.status ?? 303, location })
}

/** The page that shows an error; none while there is no database to keep it in. */
async function errorPage(service: Service, error: WireError, requestId?: string): Promise<string | null> {
  if (error.code === 503) return null
  try {
    return errorPageUrl(service, await storeError(service, error, requestId))
  } catch (cause) {
    service.log.error({ err: cause }, 'identity error could not be stored')
    return null
  }
}

function send(exchange: Exchange, request: FastifyRequest, reply: FastifyReply, answer: Answer): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  for (const line of exchange.setCookies.values()) reply.header('Set-Cookie', line)
  reply.header('Vary', varyWithCookie(reply.getHeader('Vary')))
  if (isRead) reply.header('Cache-Control', 'private, no-cache, no-store, must-revalidate')
  switch (answer.kind) {
    case 'json':
      reply
        .code(answer.status)
        .headers({ 'Content-Type': 'application/json; charset=utf-8', ...answer.headers })
        .send(Buffer.from(`${encode(answer.body)}\n`))
      return
    case 'text':
      reply
        .code(200)
        .headers({ 'Content-Type': answer.contentType, ...answer.headers })
        .send(Buffer.from(answer.body))
      return
    case 'empty':
      reply.code(204).send()
      return
    case 'redirect':
      reply.code(answer.status).header('Location', answer.location)
      if (isRead) reply.header('Content-Type', 'text/html; charset=utf-8').send(redirectPage(answer))
      else reply.send()
  }
}

function varyWithCookie(present: unknown): string {
  const fields = String(present ?? '')
    .split(/\s*,\s*/)
    .filter(Boolean)
  return fields.some((field) => field.toLowerCase() === 'cookie') ? fields.join(', ') : [...fields, 'Cookie'].join(', ')
}

/** JSON that is harmless inside a page as well. */
function encode(body: unknown): string {
  return JSON.stringify(body).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
}

function redirectPage({ status, location }: Extract<Answer, { kind: 'redirect' }>): string {
  const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }
  const href = location.replace(/[&<>"']/g, (character) => named[character] ?? '')
  return `<a href="${href}">${status === 302 ? 'Found' : 'See Other'}</a>.\n\n`
}
