/** The one HTTP server: headers, limits, health, and where each part is mounted. */
import { createHash } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
import type { PortalConfig } from '@glacis/contract/portal-config'
import type { ApiError } from '@glacis/contract/primitives'
import type { Logger } from '#log.ts'
import { answer, answerErrors } from '#http/errors.ts'
import { servePortal } from '#http/portal.ts'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'

/** After the start, before slowness counts as too many visitors. */
const settlingMs = 10_000

export interface AppOptions {
  readonly log: Logger
  /** Origin under which browsers reach us. */
  readonly url: string
  readonly portalConfig: PortalConfig
  /** Folder of the built portal; null where this process serves none. */
  readonly portalFolder: string | null
  /** The embedded identity service; null where another one is used. */
  readonly identity: FastifyPluginAsync | null
  /** Mounts the product API; null where this process serves none. */
  readonly api: ((app: FastifyInstance) => void) | null
  /** Rejects when the database does not answer. */
  readonly isReady: () => Promise<void>
}

const bodyBytesMax = 1_048_576

/** How requests that never reach a route are refused. */
export const strictness = {
  bodyLimit: bodyBytesMax,
  routerOptions: { maxParamLength: 200 },
  frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void answer(error, request, reply),
} as const
/** Whoever shows a credential may ask often: a page in motion, an inventory read to its end, several people behind one token. */
const requestsPerMinute = { withCredential: 30_000, without: 1200 } as const

/** Calls are read and written by the contract. Fastify's own way, which loads a library before it is needed, has no user. */
const noSchemas = () => {
  throw new Error('a route has a JSON schema: give it an endpoint of the contract instead')
}

export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    loggerInstance: options.log as FastifyBaseLogger, // pino is what Fastify itself logs with
    requestTimeout: 30_000,
    ...strictness,
    // A public name means that a proxy stands in front; it is believed about its clients if it is near.
    trustProxy: isLocal(new URL(options.url).hostname) ? false : ['loopback', 'uniquelocal'],
    logController: new LogController({ disableRequestLogging: true }),
  })
  answerErrors(app)
  app.addHook('onResponse', async (request, reply) => {
    const fields = {
      method: request.method,
      path: request.url.split('?')[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    if (request.url.startsWith('/v1/') || request.url.startsWith('/self-service/')) request.log.debug(fields, 'request')
  })
  await app.register(helmet, headers(options))
  app.addHook('onSend', async (_request, reply) => void reply.header('permissions-policy', permissions))
  let settledAt = Number.POSITIVE_INFINITY
  app.addHook('onListen', async () => void (settledAt = performance.now() + settlingMs))
  await app.register(underPressure, {
    maxEventLoopDelay: 2000,
    pressureHandler(_request, reply) {
      // What the start itself took of the processor is no crowd of visitors.
      if (performance.now() < settledAt) return undefined
      const busy: ApiError = { code: 14, message: 'Too busy right now; try again shortly' }
      void reply.status(503).header('retry-after', 5)
      return busy as never // sent by the plugin, whose types know of no answer
    },
  })
  redirectOtherNames(app, options.url)
  serveHealth(app, options)
  if (options.identity) await app.register(options.identity)
  const { api } = options
  if (api) {
    await app.register(async (scope) => {
      const max = (request: FastifyRequest) => requestsPerMinute[credentialOf(request) ? 'withCredential' : 'without']
      await scope.register(rateLimit, { max, timeWindow: 60_000, keyGenerator: holderOf })
      scope.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'))
      api(scope)
    })
  }
  await servePortal(app, options.portalFolder)
  return app
}

/** Nothing of the browser is needed but keys of its own authenticators. */
const permissions =
  'camera=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-get=(self), publickey-credentials-create=(self)'

/** Strict by default: our own scripts, and those of the identity service and the bot challenge where they live elsewhere. */
function headers({ url, portalConfig }: AppOptions) {
  const others = [portalConfig.identityUrl].filter((one) => one && new URL(one).origin !== url)
  const challenge = portalConfig.botChallengeSiteKey ? ['https://challenges.cloudflare.com'] : []
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...others, ...challenge],
        styleSrc: ["'self'"],
        // React writes style attributes through the DOM, which needs no permission; libraries of widgets do not.
        styleSrcAttr: ["'unsafe-inline'"],
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

/** Whoever holds the same credential shares one allowance, wherever they are; strangers share that of their address. */
function holderOf(request: FastifyRequest): string {
  const credential = credentialOf(request)
  return credential ? createHash('sha256').update(String(credential)).digest('base64') : request.ip
}

function credentialOf({ headers }: FastifyRequest) {
  return headers['x-session-token'] ?? headers.authorization ?? headers.cookie
}

/**
 * Browsers keep cookies by host name, and refuse passkeys on addresses: a page that is asked for
 * under another name of this machine is sent to the one name. Behind a proxy the proxy decides.
 */
function redirectOtherNames(app: FastifyInstance, url: string): void {
  const { host, hostname } = new URL(url)
  if (!isLocal(hostname)) return
  app.addHook('onRequest', async (request, reply) => {
    const isPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
    const asked = request.headers.host
    if (!isPage || !asked || asked === host || !isLocal(asked.replace(/:\d+$/, ''))) return
    if (request.headers['x-forwarded-for'] ?? request.headers.forwarded) return
    return reply.redirect(url + request.url, 307)
  })
}

function isLocal(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (bare === 'localhost' || bare.endsWith('.localhost') || bare.startsWith('127.') || bare === '::1') return true
  return Object.values(networkInterfaces()).some((list) => list?.some((one) => one.address === bare))
}

function serveHealth(app: FastifyInstance, { portalConfig, isReady }: AppOptions): void {
  app.get('/health/alive', async () => ({ status: 'ok' }))
  app.get('/health/ready', async (request, reply) => {
    try {
      await isReady()
      return { status: 'ok' }
    } catch (error) {
      request.log.warn({ err: error }, 'not ready')
      return reply.status(503).send({ errors: { database: 'does not answer' } })
    }
  })
  app.get('/config.json', async (_request, reply) => reply.header('cache-control', 'no-cache').send(portalConfig))
}
