/**
 * The API over a million occurrences: p95 of lists, details and charts for one reader and for 16 while
 * a scan writes 500 findings a second, and how the large account slows down small ones.
 *
 * The figures hold for a machine that is otherwise idle.
 *
 * `node bench/api.ts` makes a database of its own and removes it; `node bench/api.ts seed URL` fills an
 * empty one that stays, and `node bench/api.ts URL` measures on it, or `node bench/api.ts URL WORD` what has
 * that word in its name. BENCH_DATABASE_URL names the server.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../apps/server/src/database/embedded.ts'
import { openDatabase } from '../apps/server/src/database/index.ts'
import { migrate } from '../apps/server/src/database/migrate.ts'
import { createJobs } from '../apps/server/src/jobs.ts'
import { createLogger } from '../apps/server/src/log.ts'
import { fullSize, rowId, seed } from '../apps/server/src/testing/large.ts'
import { type Call, calls, readersMax } from './api/calls.ts'
import { ask, quantile, type Server, start, stop, timed, timesOf } from './api/readers.ts'
import type { Usage } from './api/serve.ts'

const [firstChanges, laterChanges] = [40, 100]
const forMs = 2000
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
  await migrate(database.owner)
  await jobs.prepare(database.owner)
  await seed(database.owner, fullSize, note)
  note('done')
  await jobs.close()
  await database.close()
}

async function measure(url: string, word = ''): Promise<void> {
  console.error(`${loadavg()[0]?.toFixed(1)} processes were waiting for a processor before the bench began`)
  const chosen = calls.filter(({ name }) => name.includes(word))
  const server = await start(url, 'serve')
  const small = { paths: ['/v1/issues'], person: 'bench7', count: 1, forMs }
  const isAsked = (name: string) => name.includes(word)
  await timesOf(server, small)
  const alone = quantile(await timesOf(server, small), 0.95)
  if (isAsked('change')) await puts(server, 'alone', 9000)
  const ingest = await start(url, 'ingest')
  try {
    for (const call of chosen) await readers(server, call)
    const beside = quantile(await timesOf(server, small), 0.95)
    report({ figure: 'small account beside the ingest / alone', value: beside / alone, unit: '×', limit: 1.2 })
    if (isAsked('change')) await puts(server, 'beside the ingest', 9001)
    if (isAsked('many')) await batch(server)
    if (isAsked('export')) await grown(server)
  } finally {
    await stop(ingest)
    await stop(server)
  }
}

/** One reader, 16 that ask the same, and 16 of which each asks for something else. */
async function readers(server: Server, { name, paths, limitMs: { one, many } }: Call): Promise<void> {
  const p95 = async (who: string, reading: { paths: readonly string[]; count: number }, limit: number) => {
    const times = await timesOf(server, { ...reading, person: 'bench0', forMs })
    report({ figure: `${name}, ${who}`, value: quantile(times, 0.95), unit: 'ms', limit })
  }
  const usual = paths.slice(0, 1)
  await p95('one reader', { count: 1, paths: usual }, one)
  await p95(`${readersMax} readers`, { count: readersMax, paths: usual }, many)
  if (paths.length > 1) await p95(`${readersMax} readers of different ones`, { count: readersMax, paths }, many)
}

/** A process compiles what it does often: what its first changes take is told apart from what all later ones do. */
async function puts(server: Server, when: string, firstIssue: number): Promise<void> {
  const times: number[] = []
  for (let number = 0; number < firstChanges + laterChanges; number++) {
    const path = `/v1/issues/${rowId('issue', firstIssue + number * 50)}/status`
    const body = { status: number % 2 ? 'STATUS_RESOLVED' : 'STATUS_IGNORED', reason: 'REASON_MITIGATED' }
    times.push(await timed(server, path, 'bench0', { method: 'PUT', body }))
  }
  const p95 = (some: readonly number[]) => ({ value: quantile(some, 0.95), unit: 'ms', limit: 20 })
  const figure = `change of the status of a risk, ${when}`
  report({ figure, ...p95(times.slice(firstChanges)) })
  report({ figure: `${figure}, the first ${firstChanges}`, ...p95(times.slice(0, firstChanges)) })
}

/** The ten thousand that stand on the fewest hosts last: what a person does with a filter. */
async function batch(server: Server): Promise<void> {
  const ids = Array.from({ length: 10_000 }, (_, number) => rowId('issue', fullSize.issues - 1 - number))
  const body = { ids, status: 'STATUS_IGNORED', reason: 'REASON_MITIGATED' }
  const took = await timed(server, '/v1/issues/batch/status', 'bench0', { method: 'POST', body })
  report({ figure: 'status of many: ten thousand risks ignored', value: took, unit: 'ms', limit: 3000 })
  // No limit is written anywhere: until then lists of hosts show some of them as they were.
  const { ms } = await ask<{ ms: number }>(server, 'spread')
  console.log(`${(ms / 1000).toFixed(1)} s until they were ignored at each of their places`)
}

/** What the server's memory grows by while it streams the export of all risks, a row for each host. */
async function grown(server: Server): Promise<void> {
  const before = await ask<Usage>(server, 'usage')
  await timed(server, '/v1/issues/export?format=csv&columns=id&columns=name&columns=hostAddress', 'bench0')
  const { peak } = await ask<Usage>(server, 'usage')
  const value = (peak - before.rss) / 1e6
  report({ figure: 'memory during an export of a million rows', value, unit: 'MB', limit: 100 })
}

function report(row: { figure: string; value: number; unit: string; limit: number }): void {
  console.log(JSON.stringify(row))
}

const [first = '', second] = process.argv.slice(2)

if (first === 'seed') await fill(second ?? '')
else if (first) await measure(first, second)
else await withDatabase(async (url) => (await fill(url), measure(url)))
