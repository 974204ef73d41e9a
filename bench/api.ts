/**
 * The API over a million occurrences: p95 of lists, details and charts for 16 readers while a scan
 * writes 500 findings a second, what the server spends beyond the database, and what small accounts
 * feel of the large one.
 *
 * `node bench/api.ts` makes a database of its own and removes it; `node bench/api.ts seed URL` fills an
 * empty one that stays, and `node bench/api.ts URL` measures on it. BENCH_DATABASE_URL names the server.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startPostgres } from '../apps/server/src/database/embedded.ts'
import { openDatabase } from '../apps/server/src/database/index.ts'
import { migrations } from '../apps/server/src/database/migrations.ts'
import { migrate } from '../apps/server/src/database/migrate.ts'
import { createJobs } from '../apps/server/src/jobs.ts'
import { createLogger } from '../apps/server/src/log.ts'
import { closeEndedDays } from '../apps/server/src/stats/index.ts'
import { fullSize, rowId, seed } from '../apps/server/src/testing/large.ts'

const readers = 16
const secondsPerCall = 2
/** A fresh database on the server of BENCH_DATABASE_URL, or on one that is started for the purpose. */
async function withDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const given = process.env['BENCH_DATABASE_URL']
  const dataFolder = given ? null : await mkdtemp(join(tmpdir(), 'glacis-bench-'))
  const log = createLogger({ level: 'error' })
  const server = dataFolder ? await startPostgres({ dataFolder, log, isDurable: false }) : null
  const admin = openDatabase(given ?? server?.url ?? '', log)
  const name = `bench_${randomUUID().replaceAll('-', '')}`
  const url = new URL(given ?? server?.url ?? '')
  const raw = (text: string) =>
    admin.owner.executeQuery({ sql: text, parameters: [], query: { kind: 'RawNode' } } as never)
  await raw(`create database ${name}`)
  url.pathname = `/${name}`
  try {
    await work(url.href)
  } finally {
    await raw(`drop database ${name} with (force)`)
    await admin.close()
    await server?.stop()
    if (dataFolder) await rm(dataFolder, { recursive: true, force: true })
  }
}

async function fill(url: string): Promise<void> {
  const log = createLogger({ level: 'error' })
  const database = openDatabase(url, log)
  const jobs = createJobs(url, log, { supervise: false })
  const begin = performance.now()
  const note = (step: string) => console.error(`${((performance.now() - begin) / 1000).toFixed(1)} s: ${step}`)
  await migrate(database.owner, migrations)
  await jobs.prepare(database.owner)
  await seed(database.owner, fullSize, note)
  note('closing the days of three years')
  await closeEndedDays({ database, log })
  note('done')
  await jobs.close()
  await database.close()
}

interface Server {
  readonly child: ChildProcess
  readonly url: string
}

async function start(url: string, role: 'serve' | 'ingest'): Promise<Server> {
  const child = fork(new URL(`api/${role}.ts`, pathToFileURL(import.meta.filename)), [url])
  const [message] = (await once(child, 'message')) as [{ url: string }]
  return { child, url: message.url }
}

async function stop({ child }: Server): Promise<void> {
  const exit = once(child, 'exit')
  child.send('stop')
  await exit
}

const year = 'period=PERIOD_YEAR'
const [target, host, product, issue, scan] = [
  rowId('target', 7),
  rowId('host', 5555),
  rowId('product', 500),
  rowId('issue', 9000),
  rowId('scan', 155 * 400 + 7),
]
/** What is read, and how long 95 of a hundred answers may take, in milliseconds. */
const calls: readonly (readonly [string, string, number])[] = [
  ['list of targets', '/v1/targets', 50],
  ['one target', `/v1/targets/${target}`, 50],
  ['list of hosts', '/v1/hosts', 50],
  ['hosts of a target', `/v1/hosts?filter.targetId=${target}`, 50],
  ['one host', `/v1/hosts/${host}`, 50],
  ['list of products', '/v1/products', 50],
  ['one product', `/v1/products/${product}`, 50],
  ['list of scans', '/v1/scans', 50],
  ['one scan', `/v1/scans/${scan}`, 50],
  [
    'open verified risks',
    '/v1/issues?filter.verification=VERIFICATION_FILTER_VERIFIED&filter.status=STATUS_FILTER_OPEN',
    50,
  ],
  ['risks by priority', '/v1/issues?orderBy=ORDER_BY_PRIORITY&filter.verification=VERIFICATION_FILTER_VERIFIED', 50],
  ['risks of a target', `/v1/issues?filter.affectedTargetId=${target}`, 50],
  ['risks of a host', `/v1/issues?filter.affectedHostId=${host}`, 50],
  ['one risk', `/v1/issues/${issue}`, 50],
  [
    'by severity, year, verified',
    `/v1/stats/issues-by-severity?${year}&filter.verification=VERIFICATION_FILTER_VERIFIED`,
    60,
  ],
  ['by status, year, of a target', `/v1/stats/issues-by-status?${year}&filter.affectedTargetId=${target}`, 60],
  ['affected hosts, year', `/v1/stats/affected-hosts?${year}`, 60],
  ['scans, year', `/v1/stats/scans?${year}`, 60],
  ['summary, year', `/v1/stats/summary?${year}`, 60],
  ['graph of 2,000 nodes', '/v1/ecosystem', 150],
]

async function measure(url: string): Promise<void> {
  const server = await start(url, 'serve')
  const alone = await p95Of(server, '/v1/issues', 'bench7', 1)
  const ingest = await start(url, 'ingest')
  try {
    for (const [name, path, limit] of calls) {
      const one = await p95Of(server, path, 'bench0', 1)
      report({ figure: `${name}, one reader`, value: one, unit: 'ms', limit })
      report({
        figure: `${name}, ${readers} readers`,
        value: await p95Of(server, path, 'bench0', readers),
        unit: 'ms',
        limit,
      })
    }
    const beside = await p95Of(server, '/v1/issues', 'bench7', 1)
    report({ figure: 'small account beside the ingest / alone', value: beside / alone, unit: '×', limit: 1.2 })
    await puts(server)
    await grown(server)
  } finally {
    await stop(ingest)
    await stop(server)
  }
}

async function puts(server: Server): Promise<void> {
  const times: number[] = []
  for (let number = 0; number < 40; number++) {
    const path = `/v1/issues/${rowId('issue', 9000 + number * 50)}/status`
    times.push(
      await timed(server, path, 'bench0', {
        status: number % 2 ? 'STATUS_RESOLVED' : 'STATUS_IGNORED',
        reason: 'REASON_MITIGATED',
      }),
    )
  }
  report({ figure: 'status of a risk changed', value: quantile(times, 0.95), unit: 'ms', limit: 20 })
}

/** What the server's memory grows by while it streams the export of all risks. */
async function grown(server: Server): Promise<void> {
  const ask = async () => {
    server.child.send('usage')
    const [usage] = (await once(server.child, 'message')) as [{ rss: number; peak: number }]
    return usage
  }
  const before = await ask()
  await timed(server, '/v1/issues/export?format=csv', 'bench0')
  report({
    figure: 'memory while all risks are exported',
    value: ((await ask()).peak - before.rss) / 1e6,
    unit: 'MB',
    limit: 100,
  })
}

const agent = new Agent({ keepAlive: true, maxSockets: readers })

async function p95Of(server: Server, path: string, person: string, count: number): Promise<number> {
  await timed(server, path, person)
  const until = performance.now() + secondsPerCall * 1000
  const times: number[] = []
  const read = async () => {
    do times.push(await timed(server, path, person))
    while (performance.now() < until)
  }
  await Promise.all(Array.from({ length: count }, read))
  return quantile(times, 0.95)
}

/** Milliseconds until the last byte. */
async function timed({ url }: Server, path: string, person: string, body?: object): Promise<number> {
  const begin = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = {
    'x-person': person,
    ...(body && { 'content-type': 'application/json', origin: 'http://localhost' }),
  }
  const asked = request(url + path, { agent, method: body ? 'PUT' : 'GET', headers }, (response) => {
    let text = ''
    response.on('data', (part: Buffer) => {
      if (response.statusCode !== 200) text += part.toString()
    })
    response.on('end', () =>
      response.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${response.statusCode} ${text}`)),
    )
  })
  asked.on('error', reject)
  asked.end(body && JSON.stringify(body))
  await promise
  return performance.now() - begin
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
}

function report(row: { figure: string; value: number; unit: string; limit: number }): void {
  console.log(JSON.stringify(row))
}

const [word = '', address = ''] = process.argv.slice(2)

if (word === 'seed') await fill(address)
else if (word) await measure(word)
else await withDatabase(async (url) => (await fill(url), measure(url)))
