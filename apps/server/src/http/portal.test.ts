import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify, type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { installErrorHandlers } from '#http/errors.ts'
import { servePortal } from '#http/portal.ts'

let folder: string
let app: FastifyInstance
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-portal-'))
  await mkdir(join(folder, 'files'))
  app = fastify()
})
afterEach(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

/** Writes a build whose pages reference one file. */
async function build(name: string): Promise<void> {
  await rm(join(folder, 'files'), { recursive: true })
  await mkdir(join(folder, 'files'))
  await writeFile(join(folder, 'files', name), `"${name}"`)
  await writeFile(join(folder, 'index.html'), `<script src="/files/${name}"></script>`)
  await writeFile(join(folder, 'sign-in.html'), `<title>Sign in</title><script src="/files/${name}"></script>`)
}
const get = (url: string, accept = '*/*') => app.inject({ url, headers: { accept } })

it('serves the files of a newer build and no longer references old ones', async () => {
  await build('a.js')
  await servePortal(app, folder, null)
  expect((await get('/files/a.js')).body).toBe('"a.js"')
  await build('b.js')
  for (const path of ['/overview', '/risks/verified', '/index.html']) {
    const page = await get(path, 'text/html')
    expect([page.statusCode, page.body]).toEqual([200, '<script src="/files/b.js"></script>'])
    expect(page.headers['cache-control']).toBe('no-cache')
  }
  const file = await get('/files/b.js')
  expect([file.statusCode, file.body]).toEqual([200, '"b.js"'])
  expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable')
})

it.each(['/', '/login?flow=1', '/registration', '/recovery', '/verification?code=123456', '/error?id=1', '/logout'])(
  'serves the document without the app for %s',
  async (path) => {
    await build('a.js')
    await servePortal(app, folder, null)
    const page = await get(path, 'text/html')
    expect(page.body).toContain('<title>Sign in</title>')
    expect(page.headers['cache-control']).toBe('no-cache')
  },
)

it.each(['/overview', '/login/x', '/invitation?token=1', '/login/'])(
  'serves the document of the app for %s',
  async (path) => {
    await build('a.js')
    await servePortal(app, folder, null)
    expect((await get(path, 'text/html')).body).not.toContain('<title>Sign in</title>')
  },
)

it('preloads the session for users with a cookie, who are about to open the app', async () => {
  await build('a.js')
  await servePortal(app, folder, null, 'https://id.example')
  const linkOf = async (url: string, cookie?: string) =>
    (await app.inject({ url, headers: { accept: 'text/html', ...(cookie && { cookie }) } })).headers['link']
  expect(await linkOf('/overview', 'session=1')).toBe(
    '<https://id.example/sessions/whoami>; rel=preload; as=fetch; crossorigin=use-credentials',
  )
  expect(await linkOf('/overview')).toBeUndefined()
  expect(await linkOf('/login', 'session=1')).toBeUndefined()
})

it('responds to a missing script with 404 instead of the page, so that the portal can detect it', async () => {
  await build('b.js')
  await servePortal(app, folder, null)
  const missing = await get('/files/a.js')
  expect([missing.statusCode, missing.json()]).toEqual([404, { code: 5, message: 'No route for GET /files/a.js' }])
  expect((await get('/../package.json', 'application/json')).statusCode).toBe(404)
  expect((await get('/v1/nothing', 'text/html')).statusCode).toBe(404)
  expect((await get('/files/', 'text/html')).statusCode).toBe(404)
  expect((await get('/.env', 'text/html')).statusCode).toBe(404)
})

it('responds to impossible paths as to any other unknown path', async () => {
  installErrorHandlers(app)
  await build('b.js')
  await servePortal(app, folder, null)
  for (const path of ['//v1/targets', '/v1/../..//secret', '/v1/%2e%2e/%2e%2e/secret', `/v1/x/${'a'.repeat(5000)}`]) {
    const response = await get(path, 'application/json')
    expect([path.slice(0, 30), response.statusCode]).toEqual([path.slice(0, 30), 404])
    expect(response.json()).toMatchObject({
      code: 5,
      message: expect.stringMatching(/^No route for GET \/.{0,200}$/),
    })
  }
})
