/**
 * Benchmarks the template engine: requests per CPU second, requests per service, memory, and the time to the first
 * request.
 */
import { execFile, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder, corpusFolder } from './lib/engine.ts'

interface Cost {
  readonly requests: number
  readonly cpuSeconds: number
  readonly seconds: number
  readonly firstAtMs: number
  readonly peakMiB: number
}

const corpus = corpusFolder()
if (corpus === undefined) console.log('No templates in GLACIS_SHARED. Skipped.')
else await measureAll(corpus)

async function measureAll(folder: string): Promise<void> {
  const options = { kind: 'match', corpus: folder, cache: cacheFolder, isExhaustive: true, simple: 0, requests: 0 }
  const hosts = Array.from({ length: 20 }, (_, at) => `127.66.1.${at + 1}`)
  const [first = ''] = hosts
  const missing = await serve('missing', hosts)
  // Fills the cache, so that the measured scans start like a second scan.
  await cost({ ...options, simple: 1, addresses: [first], port: missing.port })
  const matched = await cost({ ...options, simple: 500, addresses: hosts, port: missing.port })
  const floor = await cost({ ...options, kind: 'floor', addresses: hosts, port: missing.port, requests: 20_000 })
  const deep = await cost({ ...options, addresses: [first], port: missing.port })
  const relevant = await cost({ ...options, isExhaustive: false, addresses: [first], port: missing.port })
  missing.process.disconnect()
  const perSecond = matched.requests / matched.cpuSeconds
  report('requests per CPU second, matching', perSecond, '1/s', { least: 5_000 })
  report('compared to Node without matching', (100 * perSecond * floor.cpuSeconds) / floor.requests, '%', { least: 22 })
  report('first request, whole corpus, from start', deep.firstAtMs, 'ms', { limit: 1_000 })
  report('requests for one web service, every check', deep.requests, '', { limit: 10_000 })
  report('CPU for one web service, every check', deep.cpuSeconds, 's', { limit: 10 })
  report('memory for one web service, every check', deep.peakMiB, 'MiB', { limit: 512 })
  report('requests for one web service, relevant checks', relevant.requests, '', { limit: 2_500 })
  for (const kind of ['echo', 'tarpit', 'bomb']) {
    const server = await serve(kind, [first])
    const { peakMiB, seconds, requests } = await cost({ ...options, addresses: [first], port: server.port })
    server.process.disconnect()
    report(`memory, ${kind}`, peakMiB, 'MiB', { limit: 512 })
    console.log(`${kind}: ${seconds.toFixed(0)} s, ${requests} requests`)
  }
}

function report(figure: string, value: number, unit: string, bound: { limit: number } | { least: number }): void {
  console.log(JSON.stringify({ figure, value, unit, ...bound }))
}

async function cost(options: object): Promise<Cost> {
  const program = join(import.meta.dirname, 'lib/cost.ts')
  // As when the product starts, with Node's compile cache.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(cacheFolder, 'compiled') }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, JSON.stringify(options)], {
    timeout: 1_000_000,
    env,
  })
  if (stderr !== '') console.log(stderr.trim())
  return JSON.parse(stdout) as Cost // printed by lib/cost.ts as this type
}

async function serve(
  kind: string,
  addresses: readonly string[],
): Promise<{ readonly process: ChildProcess; readonly port: number }> {
  const server = fork(join(import.meta.dirname, 'lib/weak-servers.ts'), [kind, ...addresses], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [line] = server.stdout ? await once(server.stdout, 'data') : []
  return { process: server, port: Number(String(line)) }
}
