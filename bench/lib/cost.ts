/**
 * Runs one measurement of the template engine in its own process, to measure its memory separately. Prints one line
 * of JSON.
 */
import { Agent, get } from 'node:http'
import { resourceUsage } from 'node:process'
import { createHttpClient } from '../../packages/scanner/src/net/http.ts'
import { loadTemplates, type CheckPlan } from '../../packages/scanner/src/template/plan.ts'
import { runChecks } from '../../packages/scanner/src/template/run.ts'

/** Sent by `bench/templates.ts` as the first argument. */
interface CostOptions {
  readonly kind: 'floor' | 'match'
  readonly corpus: string
  readonly cache: string
  readonly addresses: readonly string[]
  readonly port: number
  /** Sends the requests of every template, relevant or not. */
  readonly isExhaustive: boolean
  /** Maximum number of templates, restricted to those with a single GET request; 0 for all templates. */
  readonly simple: number
  readonly requests: number
}

const options = JSON.parse(process.argv[2] ?? '{}') as CostOptions // sent by bench/templates.ts as this type
const guard = { denialReason: (address: string) => (address.startsWith('127.') ? null : 'not a loopback address') }
let requests = 0
let firstAtMs = 0

if (options.kind === 'floor') await report(() => floor(options.requests))
else {
  const { plan } = await loadTemplates([options.corpus], options.cache)
  await report(() => match(options.simple === 0 ? plan : simple(plan, options.simple)))
}

async function report(work: () => Promise<void>): Promise<void> {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  const cpuSeconds = (user + system) / 1e6
  const seconds = (performance.now() - startedAt) / 1000
  console.log(JSON.stringify({ requests, cpuSeconds, seconds, firstAtMs, peakMiB: resourceUsage().maxRSS / 1024 }))
}

/** Sends requests without matching, with Node's own client over 25 connections. */
async function floor(count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 25 })
  const connect = (host: string) =>
    new Promise<void>((resolve, reject) => {
      get({ host, port: options.port, path: `/p${requests++}`, agent }, (response) => {
        response.resume()
        response.on('end', resolve)
      }).on('error', reject)
    })
  const workers = Array.from({ length: 25 }, async (_, index) => {
    while (requests < count) await connect(options.addresses[index % options.addresses.length] ?? '127.0.0.1')
  })
  await Promise.all(workers)
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
    ...client,
    request(...args) {
      requests += 1
      if (firstAtMs === 0) firstAtMs = performance.now()
      return client.request(...args)
    },
  }
  const tools = {
    http,
    guard,
    signal: AbortSignal.timeout(1_000_000),
    profile: 'deep' as const,
    isExhaustive: options.isExhaustive,
    budget: { take: async () => undefined },
  }
  const service = {
    port: options.port,
    transport: 'tcp',
    protocol: 'http',
    tls: false,
    banner: '',
    technologies: [],
  } as const
  const hosts = options.addresses.values()
  const examine = async () => {
    for (const address of hosts) {
      const target = { address, hostname: address, basePath: '/', services: [service] }
      for await (const item of runChecks(target, plan, tools)) if (item.kind === 'problem') console.error(item.message)
    }
  }
  await Promise.all(Array.from({ length: 4 }, examine))
  await client.close()
}
