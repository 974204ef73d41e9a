import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readContainers } from './containers.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glacis-containers-'))
  path = join(folder, 'docker.sock')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function withRuntime<T>(answer: RequestListener, work: () => Promise<T>): Promise<T> {
  const server = createServer(answer)
  await once(server.listen(path), 'listening')
  try {
    return await work()
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

it('lists names, images, and published ports', async () => {
  const asked: string[] = []
  const list = [
    {
      Id: 'a1',
      Names: ['/web'],
      Image: 'nginx:1.27',
      ImageID: 'sha256:1',
      Ports: [{ PrivatePort: 80, PublicPort: 8080 }, { PrivatePort: 80, PublicPort: 8080 }, { PrivatePort: 443 }],
      Labels: { secret: 'x' },
    },
    { Id: 'b2', Names: null, Image: 'redis', ImageID: 'sha256:2', Ports: null },
  ]
  const containers = await withRuntime(
    (request, response) => {
      asked.push(`${request.method} ${request.url}`)
      response.end(JSON.stringify(list))
    },
    () => readContainers([path, path]),
  )
  expect(asked).toEqual(['GET /containers/json', 'GET /containers/json'])
  expect(containers).toEqual([
    { kind: 'container', id: 'a1', name: 'web', image: 'nginx:1.27', imageId: 'sha256:1', ports: [8080] },
    { kind: 'container', id: 'b2', name: '', image: 'redis', imageId: 'sha256:2', ports: [] },
  ])
})

it.each<[string, RequestListener]>([
  ['an error', (_, response) => response.writeHead(500).end('{"message":"broken"}')],
  ['no JSON', (_, response) => response.end('<html>')],
  ['too much', (_, response) => response.end(`["${'x'.repeat(5 * 1024 * 1024)}"]`)],
])('lists nothing if the runtime responds with %s', async (_, answer) => {
  expect(await withRuntime(answer, () => readContainers([path]))).toEqual([])
})

it('lists nothing without a runtime', async () => {
  expect(await readContainers([join(folder, 'missing.sock')])).toEqual([])
})
