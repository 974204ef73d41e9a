/** Runs the API in its own process. The commands report memory usage and apply pending decisions. */
import { openDatabase } from '../../apps/server/src/database/index.ts'
import { applyPendingDecisions } from '../../apps/server/src/issues/index.ts'
import { createJobs } from '../../apps/server/src/jobs.ts'
import { openTestApi } from '../../apps/server/src/testing/api.ts'

/** Memory usage of the process. */
export interface Usage {
  /** In bytes. */
  readonly rss: number
  /** Maximum in bytes since the previous `usage` command. */
  readonly peak: number
}

/** Commands to this process. All except `stop` are answered with one message. */
export type Command = 'usage' | 'apply-decisions' | 'stop'

const applyMsMax = 600_000
const [url = ''] = process.argv.slice(2)
const silent = { info() {}, warn() {}, error() {} }
const database = openDatabase(url, silent)
const jobs = createJobs(url, silent, { supervise: false })
await jobs.prepare(database.owner)
const server = { database, jobs, url }
const api = await openTestApi(server as Parameters<typeof openTestApi>[0], 'http://localhost') // the rest of a test server creates workspaces
const listenUrl = await api.app.listen({ host: '127.64.1.1', port: 0 })

let peak = 0
setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50).unref()
process.on('message', (command: Command) => {
  if (command === 'stop') process.exit(0)
  if (command === 'usage') post(usage())
  else void applyDecisions().then(post)
})
post({ url: listenUrl })

function post(message: object): void {
  process.send?.(message)
}

/** Milliseconds until all pending decisions are applied to their occurrences. */
async function applyDecisions(): Promise<{ ms: number }> {
  const startedAt = performance.now()
  const accounts = await database.owner.selectFrom('issue_decision').select('account_id').distinct().execute()
  for (const { account_id } of accounts) {
    await applyPendingDecisions({ database, log: silent }, account_id, AbortSignal.timeout(applyMsMax))
  }
  return { ms: performance.now() - startedAt }
}

function usage(): Usage {
  const rss = process.memoryUsage.rss()
  const result = { rss, peak: Math.max(peak, rss) }
  peak = 0
  return result
}
