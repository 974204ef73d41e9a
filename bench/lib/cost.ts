/** One measurement of the template engine in a process of its own, so that its memory is its own. Prints one line of JSON. */
import { Agent, get } from 'node:http'
import { resourceUsage } from 'node:process'
import type { ScanProfile } from '@glacis/contract/runner'
import { createHttpClient } from '../../packages/scanner/src/net/http.ts'
import { loadTemplates, type CheckPlan } from '../../packages/scanner/src/template/plan.ts'
import { runChecks } from '../../packages/scanner/src/template/run.ts'

/** Told by `bench/templates.ts` in the first argument. */
interface Orders {
  readonly kind: 'floor' | 'match'
  readonly corpus: string
  readonly cache: string
  readonly addresses: readonly string[]
  readonly port: number
  readonly profile: ScanProfile
  /** Only so many templates of one GET request each; 0: all. */
  readonly simple: number
  readonly requests: number
}

const orders = JSON.parse(process.argv[2] ?? '{}') as Orders // by bench/templates.ts, of this very type
const guard = { refusal: (address: string) => (address.startsWith('127.') ? null : 'not on the loopback') }
let requests = 0
let firstAtMs = 0

if (orders.kind === 'floor') await report(() => floor(orders.requests))
else {
  const { plan } = await loadTemplates([orders.corpus], orders.cache)
  await report(() => match(orders.simple === 0 ? plan : simple(plan, orders.simple)))
}

async function report(work: () => Promise<void>): Promise<void> {
  const cpu = process.cpuUsage()
  const at = performance.now()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  const cpuSeconds = (user + system) / 1e6
  const seconds = (performance.now() - at) / 1000
  console.log(JSON.stringify({ requests, cpuSeconds, seconds, firstAtMs, peakMiB: resourceUsage().maxRSS / 1024 }))
}

/** Requests without any matching, by Node's own client over 25 connections. */
async function floor(count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 25 })
  const one = (host: string) =>
    new Promise<void>((settle, fail) => {
      get({ host, port: orders.port, path: `/p${requests++}`, agent }, (response) => {
        response.resume()
        response.on('end', settle)
      }).on('error', fail)
    })
  const lanes = Array.from({ length: 25 }, async (_, lane) => {
    while (requests < count) await one(orders.addresses[lane % orders.addresses.length] ?? '127.0.0.1')
  })
  await Promise.all(lanes)
  agent.destroy()
}

function simple({ templates }: CheckPlan, count: number): CheckPlan {
  const fitting = templates.filter(
    ({ counts, isSequence, needsCallback, missingValues, requestDigests }) =>
      counts.http === 1 &&
      !isSequence &&
      !needsCallback &&
      missingValues.size === 0 &&
      requestDigests.flat().length === 1,
  )
  return { templates: fitting.slice(0, count) }
}

async function match(plan: CheckPlan): Promise<void> {
  const client = createHttpClient({ guard, perHostConnections: 12 })
  const http: typeof client = {
    request(...asked) {
      requests += 1
      if (firstAtMs === 0) firstAtMs = performance.now()
      return client.request(...asked)
    },
    close: () => client.close(),
  }
  const tools = {
    http,
    guard,
    signal: AbortSignal.timeout(1_000_000),
    profile: orders.profile,
    budget: { take: async () => undefined },
  }
  const service = {
    port: orders.port,
    transport: 'tcp',
    protocol: 'http',
    tls: false,
    banner: '',
    technologies: [],
  } as const
  const hosts = orders.addresses.values()
  const examine = async () => {
    for (const address of hosts) {
      const target = { address, hostname: address, basePath: '/', services: [service] }
      for await (const one of runChecks(target, plan, tools)) if (one.kind === 'problem') console.error(one.message)
    }
  }
  await Promise.all(Array.from({ length: 4 }, examine))
  await client.close()
}
