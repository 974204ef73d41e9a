/** Lists running containers through the Docker Engine API, which Podman also serves. */
import { request } from 'node:http'
import type { InventoryContainer } from '@glacis/contract/machine'
import { z } from 'zod'

const bytesMax = 4 * 1024 * 1024
const timeoutMs = 5000

/** Fields of `GET /containers/json` (Docker Engine API 1.24 and later). */
const Containers = z.array(
  z.object({
    Id: z.string(),
    Names: z.array(z.string()).nullable().catch([]),
    Image: z.string().catch(''),
    ImageID: z.string().catch(''),
    Ports: z
      .array(z.object({ PublicPort: z.number().optional() }))
      .nullable()
      .catch([]),
  }),
)

/** Sockets of Docker, Podman, and rootless Podman. */
export function defaultSocketPaths(env: Readonly<Record<string, string | undefined>>): string[] {
  const own = env['XDG_RUNTIME_DIR']
  return ['/var/run/docker.sock', '/run/podman/podman.sock', ...(own ? [`${own}/podman/podman.sock`] : [])]
}

/** @returns an empty list without a runtime, or if the agent isn't permitted to use it */
export async function readContainers(socketPaths: readonly string[]): Promise<InventoryContainer[]> {
  const lists = await Promise.all(socketPaths.map((path) => listContainers(path).catch(() => [])))
  return [...new Map(lists.flat().map((container) => [container.id, container])).values()]
}

async function listContainers(socketPath: string): Promise<InventoryContainer[]> {
  const containers = Containers.parse(JSON.parse(await get(socketPath, '/containers/json')))
  return containers.map(({ Id, Names, Image, ImageID, Ports }) => {
    const ports = (Ports ?? []).flatMap(({ PublicPort }) => PublicPort ?? [])
    return {
      kind: 'container',
      id: Id.slice(0, 128),
      name: (Names?.[0] ?? '').replace(/^\//, '').slice(0, 255),
      image: Image.slice(0, 500),
      imageId: ImageID.slice(0, 200),
      ports: [...new Set(ports)].toSorted((a, b) => a - b).slice(0, 200),
    }
  })
}

async function get(socketPath: string, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const signal = AbortSignal.timeout(timeoutMs)
  const sending = request({ socketPath, path, signal, headers: { host: 'localhost' } }, (response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > bytesMax) response.destroy(new Error('The response is too large'))
      else chunks.push(chunk)
    })
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    response.on('error', reject)
  })
  sending.on('error', reject).end()
  return promise
}
