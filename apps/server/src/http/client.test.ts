import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { generate } from 'openapi-typescript-codegen'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type House, openHouse } from '#testing/house.ts'

/** What the generator makes: one class for each tag, one method for each operation. */
interface Client {
  readonly OpenAPI: { BASE: string; TOKEN: string }
  readonly TargetsService: {
    postTargets(body: object): Promise<{ target: { id: string; name: string } }>
    getTargets(...parameters: unknown[]): Promise<{ targets: { id: string }[] }>
    getTargetsById(id: string): Promise<{ target: { id: string; name: string } }>
  }
  readonly ApiError: new () => Error & { readonly status: number; readonly body: { code: number } }
}
const root = new URL('../../../../', import.meta.url).pathname
let house: House
let api: TestApi
let folder: string
let base: string
let token: string

beforeAll(async () => {
  house = await openHouse()
  api = await openTestApi(house, 'http://x')
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  base = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}` // listens on a port
  const made = await fetch(`${base}/v1/api-tokens`, {
    method: 'POST',
    headers: { 'x-person': 'anna', 'content-type': 'application/json' },
    body: JSON.stringify({ apiToken: { name: 'client', scopes: ['SCOPE_WRITE'] } }),
  })
  ;({ token } = ((await made.json()) as { apiToken: { token: string } }).apiToken)
  folder = await mkdtemp(join(tmpdir(), 'glacis-client-'))
})
afterAll(async () => {
  await api.close()
  await house.close()
  await rm(folder, { recursive: true, force: true })
})

const project = {
  compilerOptions: {
    module: 'commonjs',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2023', 'dom'],
    strict: true,
    skipLibCheck: true,
    types: [],
    rootDir: 'src',
    outDir: 'out',
  },
  include: ['src'],
}

it('is enough for a public generator: the client it makes compiles, and works', async () => {
  const document = (await (await fetch(`${base}/v1/openapi.json`)).json()) as Record<string, unknown>
  await generate({ input: document, output: join(folder, 'src'), httpClient: 'fetch', useUnionTypes: true })
  expect((await readdir(join(folder, 'src/services'))).length).toBeGreaterThan(8)
  await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project))
  await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', folder])

  const client: Client = createRequire(import.meta.url)(join(folder, 'out/index.js'))
  client.OpenAPI.BASE = base
  client.OpenAPI.TOKEN = token
  const { TargetsService } = client
  const body = { name: 'By a stranger', address: '127.0.0.1', schedule: { period: 'PERIOD_DAILY' } }
  const { target } = await TargetsService.postTargets(body)
  expect((await TargetsService.getTargetsById(target.id)).target).toMatchObject({ name: 'By a stranger' })
  expect((await TargetsService.getTargets()).targets.map((one) => one.id)).toEqual([target.id])
  const refused = TargetsService.getTargetsById('nonsense')
  await expect(refused).rejects.toBeInstanceOf(client.ApiError)
  await expect(refused).rejects.toMatchObject({ status: 400, body: { code: 3 } })
}, 60_000)
