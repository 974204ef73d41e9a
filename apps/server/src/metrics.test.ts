import { once } from 'node:events'
import { createServer } from 'node:net'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { createMetrics, type Metrics } from '#metrics.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const log = { info() {}, warn() {}, error() {} }
const server = await sharedTestServer()

describe('createMetrics', () => {
  let metrics: Metrics
  let url: string
  beforeAll(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}/metrics`
    metrics = createMetrics({ database: server.database, jobs: server.jobs, log })
    await metrics.listen({ host: '127.0.0.1', port })
  })
  afterAll(() => metrics.close())
  const scrape = async () => (await fetch(url)).text()

  it('measures requests by route instead of by path, so that IDs never become labels', async () => {
    const app = Fastify()
    metrics.observe(app)
    app.get('/things/:id', async () => ({}))
    await app.inject('/things/17')
    await app.inject('/elsewhere')
    const text = await scrape()
    expect(text).toContain(
      'glacis_http_request_duration_seconds_count{method="GET",route="/things/:id",status="200"} 1',
    )
    expect(text).toContain('glacis_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1')
    expect(text).not.toContain('/things/17')
  })

  it('follows the naming conventions: only counters end in _total', async () => {
    const types = [...(await scrape()).matchAll(/^# TYPE (\S+) (\S+)$/gm)]
    expect(types.length).toBeGreaterThan(20)
    for (const [line, name = '', type] of types) expect(name.endsWith('_total'), line).toBe(type === 'counter')
  })

  it('counts waiting jobs and how long the first has waited', async () => {
    expect(await scrape()).toContain('glacis_queue_jobs{queue="decisions",state="waiting"} 0')
    const workspace = await server.createWorkspace()
    await server.database.owner
      .transaction()
      .execute((tx) => server.jobs.enqueue(tx, 'decisions', { account: workspace }))
    const text = await scrape()
    expect(text).toContain('glacis_queue_jobs{queue="decisions",state="waiting"} 1')
    expect(text).toMatch(/glacis_queue_oldest_job_seconds\{queue="decisions"\} 0\.\d+/)
  })

  it('reports scans, leases, deliveries, connections, and the event loop', async () => {
    const text = await scrape()
    for (const sample of [
      'glacis_scans{status="running"} 0',
      'glacis_scan_batches{state="waiting"} 0',
      'glacis_agent_leases 0',
      'glacis_deliveries_pending 0',
    ])
      expect(text).toContain(sample)
    expect(text).toMatch(/glacis_database_connections\{pool="app",state="waiting"\} 0/)
    expect(text).toMatch(/nodejs_eventloop_lag_p99_seconds \d/)
  })

  it('counts how long a running scan has been idle, but not one that waits for its allowed hours', async () => {
    const hourAgo = new Date(Date.now() - 3_600_000)
    const workspace = await server.createWorkspace()
    const [target, times] = [newId(), { created_at: hourAgo, updated_at: hourAgo }]
    const { owner } = server.database
    await owner
      .insertInto('target')
      .values({
        account_id: workspace,
        id: target,
        name: 'Web',
        address: '127.62.3.1',
        kind: 'IPV4',
        schedule_period: 'PERIOD_WEEKLY',
        ...times,
      })
      .execute()
    await owner
      .insertInto('scan')
      .values({
        account_id: workspace,
        id: newId(),
        target_id: target,
        type: 'TYPE_MANUAL',
        status: 'STATUS_RUNNING',
        phase: 'PHASE_CHECKS',
        started_by: 'Nora',
        started_at: hourAgo,
        last_activity_at: hourAgo,
        ...times,
      })
      .execute()
    expect(await scrape()).toMatch(/^glacis_scan_idle_seconds 36\d\d/m)
    await owner.updateTable('scan').set({ resume_at: new Date() }).where('account_id', '=', workspace).execute()
    expect(await scrape()).toMatch(/^glacis_scan_idle_seconds 0$/m)
  })

  it('serves nothing else', async () => {
    expect((await fetch(new URL('/', url))).status).toBe(404)
  })
})

it('names the setting if the address is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const metrics = createMetrics({ database: server.database, jobs: server.jobs, log })
  await expect(metrics.listen({ host: '127.0.0.1', port })).rejects.toThrow('Check GLACIS_METRICS.')
  other.close()
})

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
