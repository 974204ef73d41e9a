/** The API in a process of its own; `usage` answers what it holds in memory. */
import { openDatabase } from '../../apps/server/src/database/index.ts'
import { createJobs } from '../../apps/server/src/jobs.ts'
import { openTestApi } from '../../apps/server/src/testing/api.ts'

const [url = ''] = process.argv.slice(2)
const silent = { info() {}, warn() {}, error() {} }
const database = openDatabase(url, silent)
const jobs = createJobs(url, silent, { supervise: false })
const house = { database, jobs, url }
const api = await openTestApi(house as Parameters<typeof openTestApi>[0], 'http://localhost') // what a house has beyond this makes accounts
const listened = await api.app.listen({ host: '127.64.1.1', port: 0 })

let peak = 0
setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50).unref()
process.on('message', (word) => {
  if (word === 'stop') process.exit(0)
  process.send?.({ rss: process.memoryUsage.rss(), peak: Math.max(peak, process.memoryUsage.rss()) })
  peak = 0
})
process.send?.({ url: listened })
