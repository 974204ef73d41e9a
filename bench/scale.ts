/**
 * Benchmarks many worker processes that share one database: CPU time per host with 1, 2, and 4 of them, the queue, takeover
 * after a kill, fairness, and heartbeats of agents.
 *
 *     node bench/scale.ts [hosts|queue|takeover|fairness|agents]
 *
 * BENCH_PREFIX sets the size of the lab's network, 20 by default; BENCH_WORKERS the numbers of workers, 1,2,4 by default.
 */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createAgent } from '@glacis/contract/agent'
import { connectAgent, heartbeatAgent } from '@glacis/contract/runner'
import { cancelScan, startScan } from '@glacis/contract/scan'
import { createTarget } from '@glacis/contract/target'
import { type Installation, startInstallation } from '../faults/installation.ts'
import { withClient } from '../faults/query.ts'
import { hasEnded, scanned, scanWhen, visit, type Visitor } from '../lab/visitor.ts'
import { quantile } from './api/readers.ts'
import { cpuSeconds } from './scale/cpu.ts'
import { measureQueue } from './scale/queue.ts'

const prefix = Number(process.env['BENCH_PREFIX'] ?? 20)
const workerCounts = (process.env['BENCH_WORKERS'] ?? '1,2,4').split(',').map(Number)
const hostCount = 2 ** (32 - prefix)
const person = (name: string) => ({
  email: `${name}@aarewerk.example`,
  password: 'contour-line-4478',
  first: name,
  last: 'R',
})
const scanMsMax = 1_800_000
const workers = ['worker 1', 'worker 2', 'worker 3', 'worker 4']
const agentCount = 200
const heartbeats = 20

interface Stage {
  readonly installation: Installation
  readonly visitor: Visitor
  readonly labPort: number
}
const parts: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  queue,
  takeover,
  fairness,
  agents,
  hosts,
}

await using resources = new AsyncDisposableStack()
console.error(`${loadavg()[0]?.toFixed(1)} processes were waiting for a CPU before the benchmark started`)
const folder = await mkdtemp(join(tmpdir(), 'glacis-bench-'))
resources.defer(() => rm(folder, { recursive: true, force: true }))
const lab = fork(join(import.meta.dirname, 'scale/lab.ts'), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
resources.defer(() => void lab.kill())
const labPort = await firstNumber()
const roles = { api: 'api,identity', ...Object.fromEntries(workers.map((name) => [name, 'worker'])) }
const installation = await startInstallation(folder, { roles, isDurable: false })
resources.defer(() => installation.stop())
installation.settings = { GLACIS_BILLING: 'off' }
await installation.start('api')
await installation.start('worker 1')
const visitor = visit(installation.url)
await visitor.signUp(person('ada'), installation.outbox)
const selected = process.argv.slice(2)
for (const [name, run] of Object.entries(parts))
  if (selected.length === 0 || selected.includes(name)) await run({ installation, visitor, labPort })

async function firstNumber(): Promise<number> {
  for await (const line of createInterface({ input: lab.stdout ?? process.stdin })) return Number(line)
  throw new Error('the lab did not start')
}

async function createTargetOf(by: Visitor, address: string, ports: string): Promise<string> {
  const schedule = { period: 'PERIOD_DAILY' as const }
  return (await by.call(createTarget, { name: address, address, ports, schedule, tags: [] })).target.id
}

/** Without workers, which would take the jobs. */
async function queue({ installation }: Stage): Promise<void> {
  await installation.kill('worker 1')
  await measureQueue(installation.databaseUrl, report)
  await installation.start('worker 1')
}

/** CPU time per host must not grow with the number of processes. */
async function hosts(stage: Stage): Promise<void> {
  const { installation, visitor } = stage
  let before = 0
  for (const count of workerCounts) {
    const running = workers.slice(0, count)
    for (const name of workers) await installation.kill(name)
    await Promise.all(running.map((name) => installation.start(name)))
    const targetId = await createTargetOf(visitor, `127.${80 + count}.0.0/${prefix}`, `${stage.labPort},1`)
    const pids = [...running, 'api'].map((name) => installation.pidOf(name))
    const all = [...pids, await installation.postmaster()]
    const [cpuBefore, startedAt] = [cpuSeconds(all), performance.now()]
    const { scan } = await visitor.call(startScan, { targetId })
    const { status } = await scanWhen(visitor, scan.id, hasEnded, scanMsMax)
    const seconds = (performance.now() - startedAt) / 1000
    const perHost = ((cpuSeconds(all) - cpuBefore) / hostCount) * 1000
    if (status !== 'STATUS_COMPLETED') throw new Error(`the scan is ${status}`)
    const many = count === 1 ? '1 worker' : `${count} workers`
    console.log(`${hostCount} hosts with ${many} in ${seconds.toFixed(1)} s; load ${loadavg()[0]?.toFixed(1)}`)
    report({ figure: `CPU per host, ${many}`, value: perHost, unit: 'ms', limit: 100 })
    if (before > 0)
      report({ figure: `CPU per host, ${many} / half as many`, value: perHost / before, unit: '×', limit: 1.1 })
    before = perHost
  }
}

/** Time from killing the worker that runs a scan's only batch until the second attempt at the batch. */
async function takeover({ installation, visitor, labPort }: Stage): Promise<void> {
  const targetId = await createTargetOf(visitor, '127.90.0.0/26', `${labPort},1-900`)
  const { scan } = await visitor.call(startScan, { targetId })
  const attempts = async () =>
    withClient(installation.databaseUrl, async (client) => {
      const { rows } = await client.query<{ sum: number }>(
        'select coalesce(sum(attempt), 0)::int as sum from scan_batch where scan_id = $1',
        [scan.id],
      )
      return rows[0]?.sum ?? 0
    })
  await until(async () => (await attempts()) > 0)
  const before = await attempts()
  await installation.start('worker 2')
  await installation.kill('worker 1')
  const killedAt = performance.now()
  const queued = async () =>
    withClient(installation.databaseUrl, async (client) => {
      const { rows } = await client.query<{ retried: number }>(
        "select count(*)::int as retried from pgboss.job where name = 'scan-batch' and state = 'active' and retry_count > 0",
      )
      return rows[0]?.retried ?? 0
    })
  await until(async () => (await queued()) > 0)
  report({
    figure: 'takeover of a batch after kill -9',
    value: (performance.now() - killedAt) / 1000,
    unit: 's',
    limit: 30,
  })
  await scanWhen(visitor, scan.id, hasEnded, scanMsMax)
  if ((await attempts()) <= before) throw new Error('no batch was repeated')
  await installation.start('worker 1')
  await installation.kill('worker 2')
}

/** A single host of one workspace, alone and while another scans a large network. */
async function fairness({ installation, visitor, labPort }: Stage): Promise<void> {
  const other = visit(installation.url)
  await other.signUp(person('grace'), installation.outbox)
  const targetId = await createTargetOf(other, '127.91.0.1', `${labPort},1-1000`)
  const timed = async () => {
    const startedAt = performance.now()
    await scanned(other, targetId)
    return performance.now() - startedAt
  }
  await timed()
  const alone = quantile([await timed(), await timed(), await timed()], 0.5)
  const { scan } = await visitor.call(startScan, {
    targetId: await createTargetOf(visitor, '127.92.0.0/16', `${labPort},1-1000`),
  })
  await scanWhen(visitor, scan.id, ({ status }) => status === 'STATUS_RUNNING', scanMsMax)
  const during = quantile([await timed(), await timed(), await timed()], 0.5)
  console.log(`a host alone ${Math.round(alone)} ms, during the scan of a /16 ${Math.round(during)} ms`)
  report({ figure: "a host during another workspace's /16 / alone", value: during / alone, unit: '×', limit: 2 })
  await visitor.call(cancelScan, { id: scan.id })
}

/** CPU time of the API and the database per heartbeat. */
async function agents({ installation, visitor }: Stage): Promise<void> {
  const send = async (path: string, bearer: string, body: object) => {
    const response = await fetch(installation.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const now = () => new Date().toISOString()
  const keys: string[] = []
  for (let count = 0; count < agentCount; count++) {
    const { agent } = await visitor.call(createAgent, { agent: { name: `agent ${count}` } })
    const about = { protocol: 1, version: '0.1.0', system: 'linux', hostname: `host${count}`, instance: randomUUID() }
    const connected = connectAgent.result.parse(
      await send(connectAgent.path, agent.token ?? '', { ...about, time: now() }),
    )
    keys.push(connected.key ?? '')
  }
  const round = () => Promise.all(keys.map((key) => send(heartbeatAgent.path, key, { time: now() })))
  await round()
  const cpuOf = (pids: readonly number[]) => (pids.length === 0 ? 0 : cpuSeconds(pids))
  const [api, database] = [[installation.pidOf('api')], [await installation.postmaster()]]
  const before = [cpuOf(api), cpuOf(database)]
  for (let count = 0; count < heartbeats; count++) await round()
  const total = agentCount * heartbeats
  const each = [cpuOf(api), cpuOf(database)].map((value, index) => ((value - (before[index] ?? 0)) * 1000) / total)
  report({ figure: 'API CPU per heartbeat of 200 agents', value: (each[0] ?? 0) * 1000, unit: 'µs', limit: 500 })
  console.log(`the database used ${((each[1] ?? 0) * 1000).toFixed(0)} µs per heartbeat`)
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + scanMsMax
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('timed out')
    await new Promise((done) => setTimeout(done, 100))
  }
}

function report(row: { figure: string; value: number; unit: string; limit?: number; least?: number }): void {
  console.log(JSON.stringify(row))
}
