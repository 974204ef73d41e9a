/**
 * The API in a process of its own. `usage` answers what it holds in memory and has spent; `bare` and a
 * path answer what the statements of that call cost by themselves; `spread` brings decisions to their places.
 */
import pg from 'pg'
import { openDatabase } from '../../apps/server/src/database/index.ts'
import { spreadDecisions } from '../../apps/server/src/issues/index.ts'
import { createJobs } from '../../apps/server/src/jobs.ts'
import { openTestApi } from '../../apps/server/src/testing/api.ts'
import { statementsOf } from '../../apps/server/src/testing/statements.ts'

/** What the process has needed so far. */
export interface Usage {
  /** Bytes. */
  readonly rss: number
  /** Bytes, the most since the last time this was asked. */
  readonly peak: number
  /** Processor time in milliseconds. */
  readonly cpuMs: number
}

/** What is said to this process; each word but the last is answered by one message. */
export type Word = 'usage' | 'spread' | { readonly bare: string; readonly person: string } | 'stop'

const bareMs = 1000
const spreadMsMax = 600_000
const [url = ''] = process.argv.slice(2)
const silent = { info() {}, warn() {}, error() {} }
const database = openDatabase(url, silent)
const jobs = createJobs(url, silent, { supervise: false })
await jobs.prepare(database.owner)
const house = { database, jobs, url }
const api = await openTestApi(house as Parameters<typeof openTestApi>[0], 'http://localhost') // what a house has beyond this makes accounts
const listened = await api.app.listen({ host: '127.64.1.1', port: 0 })

let peak = 0
setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50).unref()
process.on('message', (word: Word) => {
  if (word === 'stop') process.exit(0)
  if (word === 'usage') tell(usage())
  else if (word === 'spread') void spread().then(tell)
  else void bare(word.bare, word.person).then(tell)
})
tell({ url: listened })

function tell(answer: object): void {
  process.send?.(answer)
}

/** Milliseconds until all that was decided stands at its places. */
async function spread(): Promise<{ ms: number }> {
  const begin = performance.now()
  const waiting = await database.owner.selectFrom('issue_decision').select('account_id').distinct().execute()
  for (const { account_id } of waiting) {
    await spreadDecisions({ database, log: silent }, account_id, AbortSignal.timeout(spreadMsMax))
  }
  return { ms: performance.now() - begin }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function usage(): Usage {
  const rss = process.memoryUsage.rss()
  const answer = { rss, peak: Math.max(peak, rss), cpuMs: cpuMs() }
  peak = 0
  return answer
}

/** Processor time in milliseconds that a program needs which sends the same statements and reads the rows, no more. */
async function bare(path: string, person: string): Promise<{ cpuMs: number; statements: number }> {
  // Of one that has kept nothing yet: what it need not ask again, it saves, and a bare program does not.
  const fresh = await openTestApi(house as Parameters<typeof openTestApi>[0], 'http://localhost')
  const read = async (url: string) => fresh.app.inject({ url, headers: { 'x-person': person } })
  await read('/v1/scans?pageSize=1') // who asks is looked up once
  const statements = await statementsOf(() => read(path))
  await fresh.app.close()
  // As the owner, whom row-level security does not concern: what this process spends is the same.
  const client = new pg.Client({ connectionString: url, options: '-c TimeZone=UTC -c jit=off' })
  await client.connect()
  try {
    await replay(client, statements)
    const [until, before] = [performance.now() + bareMs, cpuMs()]
    let count = 0
    do {
      await replay(client, statements)
      count++
    } while (performance.now() < until)
    return { cpuMs: (cpuMs() - before) / count, statements: statements.length }
  } finally {
    await client.end()
  }
}

async function replay(client: pg.Client, statements: Awaited<ReturnType<typeof statementsOf>>): Promise<void> {
  for (const { text, values } of statements) await client.query(text, [...values])
}
