import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import createClient from 'openapi-fetch'
import openapiTypes, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApi, type TestApi } from '#testing/api.ts'
import { type House, openHouse } from '#testing/house.ts'

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
  // Inside node_modules, so that the compiler finds the client library.
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  folder = await mkdtemp(join(cache, 'client-'))
})
afterAll(async () => {
  await api.close()
  await house.close()
  await rm(folder, { recursive: true, force: true })
})

const project = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: [],
    rootDir: '.',
    outDir: 'out',
  },
  include: ['*.ts'],
}

/** A program of a customer; the compiler checks it against the generated types. */
const program = `
import type { Client } from 'openapi-fetch'
import type { components, paths } from './api.js'

type Target = components['schemas']['Target']

export async function run(client: Client<paths>) {
  const created = await client.POST('/v1/targets', {
    body: { name: 'Generated', address: '127.0.0.1', schedule: { period: 'PERIOD_DAILY' } },
  })
  const target: Target | undefined = created.data?.target
  const listed = await client.GET('/v1/targets', { params: { query: { 'filter.query': 'Gen', pageSize: 5 } } })
  const targets: readonly Target[] = listed.data?.targets ?? []
  const refused = await client.GET('/v1/targets/{id}', { params: { path: { id: 'nonsense' } } })
  const error: components['schemas']['ApiError'] | undefined = refused.error
  // @ts-expect-error a period that does not exist
  const wrong: Target['schedule']['period'] = 'PERIOD_HOURLY'
  return { target, names: targets.map(({ name }) => name), status: refused.response.status, code: error?.code, wrong }
}
`

it('is enough for a public generator: its client compiles with one type per entity, and works', async () => {
  const document = (await (await fetch(`${base}/v1/openapi.json`)).json()) as Record<string, unknown>
  const types = astToString(await openapiTypes(JSON.stringify(document), { defaultNonNullable: false }))
  expect(types.match(/^ {8}(Target|Issue|Host|Scan): \{$/gm)).toHaveLength(4)
  await writeFile(join(folder, 'api.ts'), types)
  await writeFile(join(folder, 'program.ts'), program)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project))
  const compiled = promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', folder])
  expect(await compiled.catch(({ stdout }) => ({ stdout }))).toMatchObject({ stdout: '' })

  const { run } = await import(pathToFileURL(join(folder, 'out/program.js')).href)
  const client = createClient({ baseUrl: base, headers: { authorization: `Bearer ${token}` } })
  expect(await run(client)).toMatchObject({
    target: { name: 'Generated', address: '127.0.0.1' },
    names: ['Generated'],
    status: 400,
    code: 3,
  })
}, 60_000)
