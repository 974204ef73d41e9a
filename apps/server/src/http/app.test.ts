import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { PortalConfig } from '@glacis/contract/portal-config'
import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { ApiError } from '#errors.ts'
import { createApp } from '#http/app.ts'
import { createLogger } from '#log.ts'
import { defaultPortalConfig } from '#testing/portal-config.ts'

const url = 'http://localhost:3000'
const localConfig = defaultPortalConfig(url)
let app: FastifyInstance
afterEach(() => app.close())

async function createTestApp(
  portalConfig: PortalConfig,
  api: ((app: FastifyInstance) => void) | null = null,
  portalFolder: string | null = null,
  publicUrl = url,
  rateLimitStore?: FastifyRateLimitStoreCtor,
) {
  const log = createLogger({ level: 'silent' })
  app = await createApp({
    log,
    url: publicUrl,
    portalConfig,
    portalFolder,
    identity: null,
    api,
    isReady: async () => {},
    ...(rateLimitStore && { rateLimitStore }),
  })
  return app
}

async function configOf(portalConfig: PortalConfig) {
  return (await createTestApp(portalConfig)).inject({ url: '/config.json' })
}

const elsewhere = { ...localConfig, identityUrl: 'https://id.example.ch' }
const challenged = { ...localConfig, botChallengeSiteKey: '0x4AAA' }
it.each<[string, PortalConfig, string]>([
  ['its own origin only', localConfig, "'self'"],
  ['its own origin and an external identity service', elsewhere, "'self' https://id.example.ch"],
  ['its own origin and the bot challenge', challenged, "'self' https://challenges.cloudflare.com"],
])('SEC-H1 allows scripts from %s', async (_, portalConfig, sources) => {
  const response = await configOf(portalConfig)
  const policy = String(response.headers['content-security-policy']).split(';')
  expect(policy.find((directive) => directive.startsWith('script-src '))).toBe(`script-src ${sources}`)
})

it('SEC-H1 forbids inline scripts, eval, framing, and content sniffing', async () => {
  const { headers } = await configOf(localConfig)
  const policy = String(headers['content-security-policy']).split(';')
  expect(policy).toEqual(expect.arrayContaining(["frame-ancestors 'none'", "object-src 'none'"]))
  expect(policy.join()).not.toContain('unsafe-')
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': expect.stringMatching(/./),
    'permissions-policy': expect.stringMatching(/./),
  })
})

it.each([
  ['https://glacis.example.org', 'max-age=31536000; includeSubDomains'],
  ['http://localhost:3000', undefined],
])('SEC-H1 tells browsers of %s how long to use HTTPS only: %s', async (publicUrl, header) => {
  const secured = await createTestApp(localConfig, null, null, publicUrl)
  const { headers } = await secured.inject({ url: '/config.json', headers: { host: new URL(publicUrl).host } })
  expect(headers['strict-transport-security']).toBe(header)
})

it.each<[string, PortalConfig, boolean]>([
  ['requires Trusted Types', localConfig, true],
  ["doesn't require Trusted Types of the scripts of an external identity service", elsewhere, false],
  ["doesn't require Trusted Types of the bot challenge", challenged, false],
])('SEC-H1 %s on the page of the portal', async (_, portalConfig, isRequired) => {
  const folder = await mkdtemp(join(tmpdir(), 'glacis-app-'))
  try {
    for (const page of ['index.html', 'sign-in.html']) await writeFile(join(folder, page), '')
    const portal = await createTestApp(portalConfig, null, folder)
    for (const path of ['/login', '/overview', '/index.html']) {
      const page = { url: path, headers: { accept: 'text/html', host: 'localhost:3000' } }
      const { headers, statusCode } = await portal.inject(page)
      expect(statusCode).toBe(200)
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("default-src 'self'")
      expect(policy.includes("require-trusted-types-for 'script'")).toBe(isRequired)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('reports in the configuration that emails are written to files, but not where', async () => {
  const response = await configOf({ ...localConfig, mailsAreFiles: true })
  expect(response.json()).toEqual({ ...localConfig, mailsAreFiles: true })
})

it('returns the portal configuration', async () => {
  const response = await configOf(challenged)
  expect([PortalConfig.parse(response.json()), response.headers['cache-control']]).toEqual([challenged, 'no-cache'])
})

it.each([
  ['POST', '/config.json'],
  ['DELETE', '/health/alive'],
  ['PUT', '/health/ready'],
] as const)('responds to %s %s with the allowed methods', async (method, path) => {
  const { statusCode, headers } = await (await createTestApp(localConfig)).inject({ method, url: path })
  expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD'])
})

describe('compression', () => {
  const long = { text: 'glacis '.repeat(1000) }
  const get = async (path: string, encoding: string) => {
    await createTestApp(localConfig, (scope) => {
      scope.get('/v1/long', async () => long)
      scope.get('/v1/short', async () => ({ text: 'glacis' }))
    })
    return app.inject({ url: path, headers: { 'accept-encoding': encoding } })
  }

  it('compresses long API responses for clients that accept it', async () => {
    const { headers, rawPayload } = await get('/v1/long', 'gzip, br')
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: expect.stringContaining('accept-encoding') })
    expect(JSON.parse(gunzipSync(rawPayload).toString())).toEqual(long)
  })

  it.each([
    ['short responses', '/v1/short', 'gzip'],
    ['responses for other clients', '/v1/long', 'identity'],
  ])('leaves %s unchanged', async (_, path, encoding) => {
    const { headers, statusCode } = await get(path, encoding)
    expect([statusCode, headers['content-encoding']]).toEqual([200, undefined])
  })
})

it('states how to authenticate', async () => {
  await createTestApp(localConfig, (scope) => {
    scope.get('/v1/guarded', async () => {
      throw new ApiError('unauthenticated', 'Authentication required')
    })
  })
  const { statusCode, headers } = await app.inject({ url: '/v1/guarded' })
  expect([statusCode, headers['www-authenticate']]).toEqual([401, 'Bearer'])
})

describe('the rate limit', () => {
  /** Counts each request as 15,000, half of what a credential may send. */
  class Store implements FastifyRateLimitStore {
    readonly #used = new Map<string, number>()
    incr(key: string, done: Parameters<FastifyRateLimitStore['incr']>[1]): void {
      this.#used.set(key, (this.#used.get(key) ?? 0) + 15_000)
      this.read(key, done)
    }
    read(key: string, done: Parameters<FastifyRateLimitStore['incr']>[1]): void {
      done(null, { current: this.#used.get(key) ?? 0, ttl: 7000 })
    }
    child(): this {
      return this
    }
  }
  let invented = 0
  const get = async (headers: Record<string, string>, remoteAddress = '127.0.0.1') => {
    const { statusCode, headers: received } = await app.inject({ url: '/v1/guarded', headers, remoteAddress })
    return [statusCode, received['retry-after']]
  }
  const statusesOf = async (create: () => Record<string, string>) => [
    await get(create()),
    await get(create()),
    await get(create()),
  ]
  const start = () =>
    createTestApp(
      localConfig,
      (scope) => {
        scope.get('/v1/guarded', async ({ headers }) => {
          if (headers.authorization === 'Bearer valid') return {}
          throw new ApiError('unauthenticated', 'Authentication required')
        })
      },
      null,
      url,
      Store,
    )

  it.each([
    ['session cookies', () => ({ cookie: `glacis_session=${++invented}` })],
    ['tokens', () => ({ authorization: `Bearer ${++invented}` })],
  ])('is shared by all requests of an address with invented %s', async (_, create) => {
    await start()
    expect(await statusesOf(create)).toEqual([
      [401, undefined],
      [401, undefined],
      [429, '7'],
    ])
    expect(await get(create(), '127.0.0.2')).toEqual([401, undefined])
  })

  it("doesn't count requests with valid credentials for the address", async () => {
    await start()
    await statusesOf(() => ({ authorization: 'Bearer valid' }))
    expect(await get({ authorization: 'Bearer invented' })).toEqual([401, undefined])
  })
})
