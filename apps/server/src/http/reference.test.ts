import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'

let server: TestServer
let api: TestApi
beforeAll(async () => {
  server = await startTestServer()
  api = await openTestApi(server, 'http://localhost:3000')
})
afterAll(async () => {
  await api.close()
  await server.close()
})

it('serves the viewer without external resources', async () => {
  const page = await api.app.inject({ url: '/docs/api' })
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  const files = [...page.body.matchAll(/ (?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path = '']) => path)
  expect(files).toContain('/docs/api/swagger-ui-bundle.js')
  for (const url of files.filter((path) => path !== '/docs/frame.css')) {
    const { statusCode, headers } = await api.app.inject({ url })
    expect([url, statusCode, headers['content-type']]).toEqual([url, 200, expect.stringMatching(/css|javascript/)])
  }
})

it("doesn't serve other files of the viewer's package", async () => {
  expect((await api.app.inject({ url: '/docs/api/index.html' })).statusCode).toBe(404)
})

it.each(['/docs', '/docs/'])('is the target of the redirect from %s', async (url) => {
  const { statusCode, headers } = await api.app.inject({ url })
  expect([statusCode, headers.location]).toEqual([302, '/docs/api'])
})
