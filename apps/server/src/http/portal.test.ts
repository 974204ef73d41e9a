import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify, type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { answerErrors } from '#http/errors.ts'
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

/** Lays down a build whose page names one file. */
async function build(name: string): Promise<void> {
  await rm(join(folder, 'files'), { recursive: true })
  await mkdir(join(folder, 'files'))
  await writeFile(join(folder, 'files', name), `"${name}"`)
  await writeFile(join(folder, 'index.html'), `<script src="/files/${name}"></script>`)
}
const get = (url: string, accept = '*/*') => app.inject({ url, headers: { accept } })

it('serves what a later build has laid down, and names no file that is gone', async () => {
  await build('a.js')
  await servePortal(app, folder)
  expect((await get('/files/a.js')).body).toBe('"a.js"')
  await build('b.js')
  for (const path of ['/', '/risks/verified', '/index.html']) {
    const page = await get(path, 'text/html')
    expect([page.statusCode, page.body]).toEqual([200, '<script src="/files/b.js"></script>'])
    expect(page.headers['cache-control']).toBe('no-cache')
  }
  const file = await get('/files/b.js')
  expect([file.statusCode, file.body]).toEqual([200, '"b.js"'])
  expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable')
})

it('answers a script that is gone with an error and not with the page, so that the portal can tell', async () => {
  await build('b.js')
  await servePortal(app, folder)
  const gone = await get('/files/a.js')
  expect([gone.statusCode, gone.json()]).toEqual([404, { code: 5, message: 'No route for GET /files/a.js' }])
  expect((await get('/../package.json', 'application/json')).statusCode).toBe(404)
  expect((await get('/v1/nothing', 'text/html')).statusCode).toBe(404)
  expect((await get('/files/', 'text/html')).statusCode).toBe(404)
  expect((await get('/.env', 'text/html')).statusCode).toBe(404)
})

it('says of addresses that no file can have what it says of any other', async () => {
  answerErrors(app)
  await build('b.js')
  await servePortal(app, folder)
  for (const path of ['//v1/targets', '/v1/../..//secret', '/v1/%2e%2e/%2e%2e/secret', `/v1/x/${'a'.repeat(5000)}`]) {
    const answer = await get(path, 'application/json')
    expect([path.slice(0, 30), answer.statusCode]).toEqual([path.slice(0, 30), 404])
    expect(answer.json()).toMatchObject({
      code: 5,
      message: expect.stringMatching(/^No route for GET \/.{0,200}$/),
    })
  }
})
