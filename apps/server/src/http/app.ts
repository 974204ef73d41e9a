/** The HTTP server: security headers, limits, health checks, and mounted components. */
import { createHash } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import compress, { type FastifyCompressOptions } from '@fastify/compress'
import helmet from '@fastify/helmet'
import rateLimit, { type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import type { PortalConfig } from '@glacis/contract/portal-config'
import type { ApiErrorBody } from '@glacis/contract/primitives'
import type { Logger } from '#log.ts'
import { sendError, installErrorHandlers } from '#http/errors.ts'
import { recordRoutes } from '#http/other-methods.ts'
import { servePortal } from '#http/portal.ts'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'

/** Grace period after the start in which a slow event loop does not count as overload. */
const startupGraceMs = 10_000

export interface AppOptions {
  readonly log: Logger
  /** Adds hooks that measure requests. */
  readonly observe?: (app: FastifyInstance) => void
  /** The public origin. */
  readonly url: string
  readonly portalConfig: PortalConfig
  /** Folder of the built portal; null if this process does not serve it. */
  readonly portalFolder: string | null
  /** The embedded identity service; null if an external one is used. */
  readonly identity: FastifyPluginAsync | null
  /** Mounts the API; null if this process does not serve it. */
  readonly api: ((app: FastifyInstance) => void) | null
  /** Rejects if the database is unavailable. */
  readonly isReady: () => Promise<void>
  /** Counts requests; by default in this process. */
  readonly rateLimitStore?: FastifyRateLimitStoreCtor
  /** Whether load balancers should stop using this process. Requests are still served. */
  readonly isStopping?: () => boolean
}

const bodyBytesMax = 1_048_576
/** Requests that are logged; files of the portal are not. */
const logged = /^\/(v1|scim|self-service)\//

/** Limits for requests, and errors raised before routing. */
export const requestLimits = {
  bodyLimit: bodyBytesMax,
  routerOptions: { maxParamLength: 200 },
  frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    void sendError(error, request, reply),
} as const
/** High with a credential: busy pages, full exports through the API, and tokens shared by a team. */
const requestsPerMinute = { withCredential: 30_000, without: 1200 } as const
const windowMs = 60_000

/** The contract parses and serializes, so Fastify must not load its JSON Schema compilers. */
const noSchemas = () => {
  throw new Error('Routes must not have a JSON schema; use an endpoint of the contract')
}

export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    loggerInstance: options.log as FastifyBaseLogger, // a pino logger, like Fastify's own
    requestTimeout: 30_000,
    // Requests that arrived before the listening sockets were closed are served.
    return503OnClosing: false,
    ...requestLimits,
    // A public hostname implies a reverse proxy. Its forwarding headers are trusted only from local networks.
    trustProxy: isLocal(new URL(options.url).hostname) ? false : ['loopback', 'uniquelocal'],
    logController: new LogController({ disableRequestLogging: true }),
  })
  installErrorHandlers(app)
  options.observe?.(app)
  app.addHook('onResponse', async (request, reply) => {
    const fields = {
      method: request.method,
      path: request.url.split('?')[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    if (logged.test(request.url)) request.log.debug(fields, 'request')
  })
  await app.register(helmet, headers(options))
  app.addHook('onSend', async (_request, reply) => {
    reply.header('permissions-policy', permissions)
    // Clients and proxies open their next connection to another process.
    if (options.isStopping?.()) reply.header('connection', 'close')
  })
  let graceEndsAt = Number.POSITIVE_INFINITY
  app.addHook('onListen', async () => void (graceEndsAt = performance.now() + startupGraceMs))
  await app.register(underPressure, {
    maxEventLoopDelay: 2000,
    pressureHandler(_request, reply) {
      // Startup work is not overload.
      if (performance.now() < graceEndsAt) return undefined
      const overloadedError: ApiErrorBody = { code: 14, message: 'The server is overloaded. Try again in a moment' }
      void reply.status(503).header('retry-after', 5)
      return overloadedError as never // the plugin sends the returned value, but its types don't include it
    },
  })
  redirectOtherNames(app, options.url)
  await app.register(async (scope) => {
    const rejectOtherMethods = recordRoutes(scope)
    serveHealth(scope, options)
    rejectOtherMethods()
  })
  if (options.identity) await app.register(options.identity)
  const { api } = options
  if (api) {
    await app.register(async (scope) => {
      const max = (request: FastifyRequest) => requestsPerMinute[credentialOf(request) ? 'withCredential' : 'without']
      const store = options.rateLimitStore && { store: options.rateLimitStore }
      await scope.register(rateLimit, { max, timeWindow: windowMs, keyGenerator: rateLimitKeyOf, ...store })
      limitInvalidCredentials(scope)
      await scope.register(compress, compression)
      scope.addHook('onSend', async (_request, reply) => {
        if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
      })
      api(scope)
    })
  }
  const policy = hasOnlyOwnScripts(options) ? trustedTypes : null
  await servePortal(app, options.portalFolder, policy, options.portalConfig.identityUrl)
  return app
}

/** Live events are hijacked replies, so they are never buffered. Portal files are compressed when built. */
const compression: FastifyCompressOptions = {
  encodings: ['gzip'],
  globalDecompression: false,
  threshold: 1400, // what fits into one packet
  customTypes: /^application\/json/,
}

/** The only browser feature in use is WebAuthn. */
const permissions =
  'camera=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-get=(self), publickey-credentials-create=(self)'

/**
 * Scripts may only be loaded from URLs that the default policy of `before-paint.js` accepts, and never from strings. The
 * bot challenge and Kratos bring scripts that we don't control, so these can't be required with them.
 */
const trustedTypes = "require-trusted-types-for 'script';trusted-types default"

function hasOnlyOwnScripts({ url, portalConfig: { identityUrl, botChallengeSiteKey } }: AppOptions): boolean {
  return new URL(identityUrl || url).origin === url && !botChallengeSiteKey
}

/** Allows our own scripts, and those of an external identity service and the bot challenge if configured. */
function headers({ url, portalConfig }: AppOptions) {
  const others = [portalConfig.identityUrl].filter((item) => item && new URL(item).origin !== url)
  const challenge = portalConfig.botChallengeSiteKey ? ['https://challenges.cloudflare.com'] : []
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...others, ...challenge],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'", ...others],
        workerSrc: ["'self'"],
        frameSrc: challenge.length > 0 ? challenge : ["'none'"],
        frameAncestors: ["'none'"],
        formAction: ["'self'", ...others],
        baseUri: ["'none'"],
        objectSrc: ["'none'"],
      },
    },
    frameguard: { action: 'deny' as const },
    strictTransportSecurity: url.startsWith('https:') && { maxAge: 31_536_000 },
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' as const },
    crossOriginResourcePolicy: { policy: 'same-origin' as const },
  }
}

/** Rate limits apply per credential, or per client address without one. */
function rateLimitKeyOf(request: FastifyRequest): string {
  const credential = credentialOf(request)
  return credential ? createHash('sha256').update(String(credential)).digest('base64') : request.ip
}

/**
 * Requests with invalid credentials share one limit per client address, so that inventing a credential for each request isn't
 * a way around the limits. It is as high as that of one valid credential: a single client must not easily lock out others
 * behind the same address.
 */
function limitInvalidCredentials(scope: FastifyInstance): void {
  const count = scope.createRateLimit({
    max: requestsPerMinute.withCredential,
    timeWindow: windowMs,
    keyGenerator: ({ ip }) => `invalid ${ip}`,
  })
  scope.addHook('onRequest', async (request, reply) => {
    if (!credentialOf(request)) return
    const invalid = await count(request, { increment: false })
    if (invalid.isAllowed || invalid.remaining > 0) return
    void reply.header('retry-after', invalid.ttlInSeconds)
    const message = `Too many requests with invalid credentials from ${request.ip}. Try again in ${invalid.ttlInSeconds} seconds`
    throw Object.assign(new Error(message), { statusCode: 429 })
  })
  scope.addHook('onResponse', async (request, reply) => {
    if (reply.statusCode === 401 && credentialOf(request)) await count(request)
  })
}

function credentialOf({ headers }: FastifyRequest) {
  return headers['x-session-token'] ?? headers.authorization ?? headers.cookie
}

/**
 * Redirects pages requested under another local name to the configured one, because cookies and passkeys are bound to
 * the hostname. Proxied requests are not redirected.
 */
function redirectOtherNames(app: FastifyInstance, url: string): void {
  const { host, hostname } = new URL(url)
  if (!isLocal(hostname)) return
  app.addHook('onRequest', async (request, reply) => {
    const isPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
    const requestedHost = request.headers.host
    if (!isPage || !requestedHost || requestedHost === host || !isLocal(requestedHost.replace(/:\d+$/, ''))) return
    if (request.headers['x-forwarded-for'] ?? request.headers.forwarded) return
    return reply.redirect(url + request.url, 307)
  })
}

function isLocal(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (bare === 'localhost' || bare.endsWith('.localhost') || bare.startsWith('127.') || bare === '::1') return true
  return Object.values(networkInterfaces()).some((list) => list?.some((item) => item.address === bare))
}

function serveHealth(app: FastifyInstance, { portalConfig, isReady, isStopping }: AppOptions): void {
  app.get('/health/alive', async () => ({ status: 'ok' }))
  app.get('/health/ready', async (request, reply) => {
    if (isStopping?.()) return reply.status(503).send({ status: 'stopping' })
    try {
      await isReady()
      return { status: 'ok' }
    } catch (error) {
      request.log.warn({ err: error }, 'not ready')
      return reply.status(503).send({ errors: { database: 'unavailable' } })
    }
  })
  app.get('/config.json', async (_request, reply) => reply.header('cache-control', 'no-cache').send(portalConfig))
}
