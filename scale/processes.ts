/** Two API processes, one for sign-in, and three workers behind a proxy, restarted one after the other under load. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listIssues } from '@glacis/contract/issue'
import { createTag } from '@glacis/contract/tag'
import { createTarget, listTargets } from '@glacis/contract/target'
import { freePort } from '../e2e/ports.ts'
import { type Installation, startInstallation } from '../faults/installation.ts'
import { visit, type Visitor } from '../lab/visitor.ts'
import { type Proxy, startProxy } from './proxy.ts'

const roles = {
  'api 1': 'api',
  'api 2': 'api',
  'identity 1': 'identity',
  'identity 2': 'identity',
  'worker 1': 'worker',
  'worker 2': 'worker',
  'worker 3': 'worker',
} as const
export type ProcessName = keyof typeof roles

export const person = { email: 'lea.frei@aarewerk.example', password: 'contour-line-4478', first: 'Lea', last: 'Frei' }

export interface Cluster {
  readonly installation: Installation
  readonly proxy: Proxy
  /** Signed up through the proxy. */
  readonly visitor: Visitor
  /** Starts `next` before `last` stops, if they differ; otherwise restarts it. */
  replace(last: ProcessName, next?: ProcessName): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function startCluster(): Promise<Cluster> {
  const resources = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'glacis-scale-'))
  resources.defer(() => rm(folder, { recursive: true, force: true }))
  const publicPort = await freePort()
  const installation = await startInstallation(folder, { roles, publicPort, isDurable: false })
  resources.defer(() => installation.stop())
  installation.settings = { GLACIS_DRAIN: '1s' }
  const inRotation = new Set<ProcessName>()
  const portsOf = (role: string) =>
    [...inRotation].filter((name) => roles[name] === role).map((name) => installation.ports[name] ?? 0)
  const backends = () => ({ api: portsOf('api'), identity: portsOf('identity') })
  const proxy = await startProxy(publicPort, backends)
  resources.defer(() => proxy.close())
  const start = async (name: ProcessName) => {
    await installation.start(name)
    inRotation.add(name)
  }
  const visitor = visit(installation.url)
  // The first one migrates the database, and writes the email.
  await start('worker 1')
  await Promise.all((['api 1', 'api 2', 'identity 1'] as const).map(start))
  await proxy.settled()
  await visitor.signUp(person, installation.outbox)
  await Promise.all((['worker 2', 'worker 3'] as const).map(start))
  return {
    installation,
    proxy,
    visitor,
    async replace(last, next = last) {
      if (next !== last) {
        await start(next)
        await proxy.settled()
      }
      await installation.terminate(last)
      inRotation.delete(last)
      if (next === last) await start(last)
      await proxy.settled()
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export interface Traffic {
  readonly requests: () => number
  /** IDs of tags whose creation was acknowledged. */
  readonly tagIds: readonly string[]
  readonly failures: readonly string[]
  stop(): Promise<void>
}

/** Between two requests of the same client. Shorter pauses would only slow the restarts down. */
const pauseMs = 50

/** Several clients that read and write all the time. */
export function startTraffic(visitor: Visitor, url: string): Traffic {
  const [tagIds, failures]: [string[], string[]] = [[], []]
  let [requests, isStopping] = [0, false]
  const actions = [
    () => visitor.call(listIssues, { pageSize: 10 }),
    () => visitor.call(listTargets, { pageSize: 10 }),
    async () => void tagIds.push((await visitor.call(createTag, { tag: { name: `t${requests}`, color: 1 } })).tag.id),
    async () => {
      const response = await fetch(`${url}/self-service/login/browser`, { headers: { accept: 'application/json' } })
      if (!response.ok) throw new Error(`sign-in form: ${response.status} ${await response.text()}`)
    },
  ]
  const clients = actions.map(async (act) => {
    while (!isStopping) {
      requests += 1
      await act().catch((error: unknown) => failures.push(String(error)))
      await new Promise((done) => setTimeout(done, pauseMs))
    }
  })
  return {
    requests: () => requests,
    tagIds,
    failures,
    async stop() {
      isStopping = true
      await Promise.all(clients)
    },
  }
}

/** Scans of 254 addresses in several batches, a few ports each. */
export async function createNetwork(visitor: Visitor, network: string): Promise<string> {
  const { target } = await visitor.call(createTarget, {
    name: network,
    address: network,
    ports: '80,6379',
    schedule: { period: 'PERIOD_DAILY' },
    tags: [],
  })
  return target.id
}
