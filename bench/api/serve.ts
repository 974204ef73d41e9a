/** The API in a process of its own. `usage` answers what it holds in memory; `spread` brings decisions to their places. */
import { openDatabase } from '../../apps/server/src/database/index.ts'
import { applyPendingDecisions } from '../../apps/server/src/issues/index.ts'
import { createJobs } from '../../apps/server/src/jobs.ts'
import { openTestApi } from '../../apps/server/src/testing/api.ts'

/** Memory of the process. */
export interface Usage {
  /** Bytes. */
  readonly rss: number
  /** Bytes, the most since the last time this was asked. */
  readonly peak: number
}

/** What is said to this process; each word but the last is answered by one message. */
export type Word = 'usage' | 'spread' | 'stop'

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
  else void spread().then(tell)
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
    await applyPendingDecisions({ database, log: silent }, account_id, AbortSignal.timeout(spreadMsMax))
  }
  return { ms: performance.now() - begin }
}

function usage(): Usage {
  const rss = process.memoryUsage.rss()
  const answer = { rss, peak: Math.max(peak, rss) }
  peak = 0
  return answer
}
