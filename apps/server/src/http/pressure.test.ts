import type { AddressInfo } from 'node:net'
import perfHooks from 'node:perf_hooks'
import { expect, it, vi } from 'vitest'
import { createLogger } from '#log.ts'
import { defaultPortalConfig } from '#testing/portal-config.ts'

const url = 'http://localhost:3000'
const portalConfig = defaultPortalConfig(url)

it('SEC-G3 ignores a slow start, and rejects requests when it is overloaded later', async () => {
  // Every measurement reports an event loop delay of three seconds.
  const slowEventLoop = { mean: 3e9, enable: () => true, disable: () => true, reset() {} }
  vi.spyOn(perfHooks, 'monitorEventLoopDelay').mockReturnValue(
    slowEventLoop as ReturnType<typeof perfHooks.monitorEventLoopDelay>,
  )
  const { createApp } = await import('#http/app.ts')
  const log = createLogger({ level: 'silent' })
  const app = await createApp({
    log,
    url,
    portalConfig,
    portalFolder: null,
    // The identity service formats its own errors.
    identity: async (scope) => {
      scope.setErrorHandler((_error, _request, reply) => reply.status(500).send('from the plugin'))
      scope.get('/self-service/login/browser', async () => 'here')
    },
    api: null,
    isReady: async () => {},
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    const { port } = app.server.address() as AddressInfo // it listens on a port
    const send = () =>
      fetch(`http://127.0.0.1:${port}/self-service/login/browser`, { headers: { host: 'localhost:3000' } })
    await expect.poll(() => app.memoryUsage().eventLoopDelay, { timeout: 10_000 }).toBeGreaterThan(2000)
    expect((await send()).status).toBe(200)
    const now = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(now + 20_000)
    const rejected = await send()
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await rejected.json()).toEqual({ code: 14, message: 'The server is overloaded. Try again in a moment' })
  } finally {
    vi.restoreAllMocks()
    await app.close()
  }
})
