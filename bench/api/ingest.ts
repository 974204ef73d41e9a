/**
 * Ingests a scan of the large account with 500 findings per second, through the same function as real scans. It goes
 * from host to host and starts over after the last host of its target.
 */
import { scanActor } from '../../apps/server/src/ctx.ts'
import { inWorkspace, newId, openDatabase } from '../../apps/server/src/database/index.ts'
import { createJobs } from '../../apps/server/src/jobs.ts'
import { ingest } from '../../apps/server/src/scans/ingest.ts'
import { workspaceId, rowId } from '../../apps/server/src/testing/large-database.ts'

const [url = ''] = process.argv.slice(2)
const silent = { info() {}, warn() {}, error() {} }
const database = openDatabase(url, silent, { app: 2, owner: 1 })
const jobs = createJobs(url, silent, { supervise: false })
const as = { workspace: workspaceId(0), actor: scanActor, log: silent }
const hostsPerBatch = 50
const findingsPerHost = 10
const batchesMax = 3600

const scanId = newId()
/** The largest target: a tenth of all hosts. */
const targetId = rowId('target', 0)
await inWorkspace(database, as, async ({ tx, now }) => {
  await tx
    .updateTable('scan')
    .set({ status: 'STATUS_CANCELLED' })
    .where('account_id', '=', as.workspace)
    .where('target_id', '=', targetId)
    .execute()
  const scan = {
    account_id: as.workspace,
    id: scanId,
    target_id: targetId,
    started_by: 'bench',
    created_at: now,
    updated_at: now,
  }
  const times = { started_at: now, completed_at: null, last_activity_at: now }
  await tx
    .insertInto('scan')
    .values({ ...scan, ...times, type: 'TYPE_AUTOMATIC', status: 'STATUS_RUNNING', phase: 'PHASE_CHECKS' })
    .execute()
  const batches = Array.from({ length: batchesMax }, (_, number) => ({
    number,
    account_id: as.workspace,
    scan_id: scanId,
  }))
  await tx
    .insertInto('scan_batch')
    .values(batches.map((batch) => ({ ...batch, hosts: '[]', state: 'QUEUED' as const })))
    .execute()
})
const hosts = await database.owner
  .selectFrom('host')
  .select('address')
  .where('account_id', '=', as.workspace)
  .where('target_id', '=', targetId)
  .orderBy('id')
  .execute()
const threats = await database.owner.selectFrom('threat').select('key').orderBy('id').limit(5000).execute()

let number = 0
process.on('message', () => process.exit(0))
process.send?.({ url: '' })
while (number < batchesMax) {
  const nextAt = performance.now() + 1000
  await inWorkspace(database, as, (ctx) => ingest(ctx, jobs, batch(number)))
  number++
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, nextAt - performance.now())))
}

function batch(index: number): Parameters<typeof ingest>[2] {
  const groups = Math.max(1, Math.floor(hosts.length / hostsPerBatch))
  const batchHosts = hosts.slice((index % groups) * hostsPerBatch).slice(0, hostsPerBatch)
  const observations = batchHosts.flatMap(({ address }, position) => [
    { kind: 'host' as const, address, names: [], reached: true, reason: 'port 80 open', answersEverything: false },
    {
      kind: 'service' as const,
      address,
      port: 80,
      transport: 'tcp' as const,
      protocol: 'http',
      tls: false,
      banner: '',
    },
    ...Array.from({ length: findingsPerHost }, (_, nth) => {
      const threat = threats[(index * 7 + position * findingsPerHost + nth) % threats.length]?.key ?? ''
      const proof = { location: '80/path', quality: 99, evidence: '[core]', highlights: ['[core]'] }
      return { kind: 'finding' as const, address, port: 80, transport: 'tcp' as const, check: threat, threat, ...proof }
    }),
  ])
  const knowledge = { backports: new Map(), aliases: new Map() } as unknown as Parameters<typeof ingest>[2]['knowledge']
  return {
    scanId,
    number: index,
    hosts: batchHosts.map(({ address }) => ({ address }) as never),
    observations,
    knowledge,
  }
}
