import type { Observation } from '@glacis/contract/runner'
import { beforeAll, expect, it } from 'vitest'
import { countIssuesPeriodically } from '#scans/counts.ts'
import { cancelScan, getScan, startScan } from '#scans/index.ts'
import { ingest } from '#scans/ingest.ts'
import { createTarget } from '#targets/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'
import { statementsOf } from '#testing/statements.ts'

const server = await sharedTestServer()
beforeAll(async () => {
  await server.addThreats({})
})

const address = '127.90.0.1'
const endpoint = { address, port: 80, transport: 'tcp' } as const
const observations: Observation[] = [
  { kind: 'host', address, names: [], reached: true, reason: 'port 80 open', answersEverything: false },
  { kind: 'service', ...endpoint, protocol: 'http', tls: false, banner: '' },
  {
    kind: 'finding',
    ...endpoint,
    check: 'exposed-git-config',
    threat: 'exposed-git-config',
    location: '80/.git/config',
    quality: 99,
    evidence: '[core]',
    highlights: ['[core]'],
  },
]

/** Creates a running scan with this number of batches. */
async function running(batches: number) {
  const workspace = await server.createWorkspace()
  const id = await server.as(
    workspace,
    async (ctx) => {
      const { target } = await createTarget(ctx, {
        name: 'Web',
        address,
        schedule: { period: 'PERIOD_WEEKLY' },
        tags: [],
      })
      const { scan } = await startScan(ctx, server.jobs, target.id)
      await ctx.tx.updateTable('scan').set({ status: 'STATUS_RUNNING' }).where('id', '=', scan.id).execute()
      const of = { account_id: workspace, scan_id: scan.id, hosts: '[]', state: 'QUEUED' as const }
      await ctx.tx
        .insertInto('scan_batch')
        .values(Array.from({ length: batches }, (_, number) => ({ ...of, number })))
        .execute()
      return scan.id
    },
    { actor: person },
  )
  return { workspace, id }
}

it.each([
  [1, 1],
  [50, 50],
  [51, 26],
  [400, 50],
])('a scan of %d batches counts its issues %d times while running', async (batches, times) => {
  const { workspace, id } = await running(batches)
  const sent = await statementsOf(() =>
    server.as(workspace, async (ctx) => {
      for (let number = 0; number < batches; number++) await countIssuesPeriodically(ctx, id, number)
    }),
  )
  expect(sent.filter(({ text }) => text.includes('update scan set'))).toHaveLength(times)
})

it('a scan that ends early counts everything it found', async () => {
  const { workspace, id } = await running(400)
  const read = async () => (await server.as(workspace, (ctx) => getScan(ctx, { id }))).scan
  const hosts = [{ address, names: [] }]
  await server.as(workspace, (ctx) =>
    ingest(ctx, server.jobs, { scanId: id, number: 3, hosts, observations, knowledge: {} }),
  )
  expect((await read()).hostCount.affectedHosts).toBe(0)
  await server.as(workspace, (ctx) => cancelScan(ctx, { id }), { actor: person })
  expect(await read()).toMatchObject({ status: 'STATUS_CANCELLED', hostCount: { affectedHosts: 1 } })
})
