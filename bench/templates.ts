/** What the template engine costs: requests for each second of CPU, requests for one service, memory, and the wait for the first one. */
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
if (corpus === undefined) console.log('no corpus below GLACIS_SHARED: nothing to measure')
else await measureAll(corpus)

async function measureAll(folder: string): Promise<void> {
  const orders = { kind: 'match', corpus: folder, cache: cacheFolder, profile: 'deep', simple: 0, requests: 0 }
  const hosts = Array.from({ length: 20 }, (_, at) => `127.66.1.${at + 1}`)
  const [first = ''] = hosts
  const missing = await serve('missing', hosts)
  // Once to fill the cache, so that what follows starts as a second scan does.
  await cost({ ...orders, simple: 1, addresses: [first], port: missing.port })
  const small = await cost({ ...orders, simple: 500, addresses: hosts, port: missing.port })
  const floor = await cost({ ...orders, kind: 'floor', addresses: hosts, port: missing.port, requests: 20_000 })
  const deep = await cost({ ...orders, addresses: [first], port: missing.port })
  const standard = await cost({ ...orders, profile: 'standard', addresses: [first], port: missing.port })
  missing.process.disconnect()
  const perSecond = small.requests / small.cpuSeconds
  tell('requests per CPU second, matching', perSecond, '1/s', { least: 4_000 })
  tell('of what Node sends without matching', (100 * perSecond * floor.cpuSeconds) / floor.requests, '%', { least: 22 })
  tell('first request, whole corpus, from start', deep.firstAtMs, 'ms', { limit: 1_000 })
  tell('requests for one web service, deep', deep.requests, '', { limit: 10_000 })
  tell('CPU for one web service, deep', deep.cpuSeconds, 's', { limit: 10 })
  tell('memory for one web service, deep', deep.peakMiB, 'MiB', { limit: 512 })
  tell('requests for one web service, standard', standard.requests, '', { limit: 2_500 })
  for (const kind of ['echo', 'tarpit', 'bomb']) {
    const server = await serve(kind, [first])
    const { peakMiB, seconds, requests } = await cost({ ...orders, addresses: [first], port: server.port })
    server.process.disconnect()
    tell(`memory, ${kind}`, peakMiB, 'MiB', { limit: 512 })
    console.log(`${kind}: ${seconds.toFixed(0)} s, ${requests} requests`)
  }
}

function tell(figure: string, value: number, unit: string, bound: { limit: number } | { least: number }): void {
  console.log(JSON.stringify({ figure, value, unit, ...bound }))
}

async function cost(orders: object): Promise<Cost> {
  const program = join(import.meta.dirname, 'lib/cost.ts')
  // As the product itself is started: what Node has compiled before is kept.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(cacheFolder, 'compiled') }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, JSON.stringify(orders)], {
    timeout: 1_000_000,
    env,
  })
  if (stderr !== '') console.log(stderr.trim())
  return JSON.parse(stdout) as Cost // printed by lib/cost.ts, of this very type
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
