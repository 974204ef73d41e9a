import { expect, it } from 'vitest'
import { listScanEvents, planScan, startScan } from '#scans/index.ts'
import { runBatch, type Scanning } from '#scans/run.ts'
import { createTarget } from '#targets/index.ts'
import { person, sharedTestServer } from '#testing/test-server.ts'
import { scanningIn } from '#testing/scanning.ts'

const server = await sharedTestServer()
const workspace = await server.createWorkspace()
const continued = 'Continued after a restart of the server'

/** Starts a scan with two batches. */
async function startedScan(address: string): Promise<string> {
  const schedule = { period: 'PERIOD_DAILY' as const }
  const { scan } = await server.as(
    workspace,
    async (ctx) => {
      const { target } = await createTarget(ctx, { name: 'Web', address, schedule, tags: [] })
      return startScan(ctx, server.jobs, target.id, 'TYPE_MANUAL')
    },
    { actor: person },
  )
  const { signal } = new AbortController()
  await planScan(scanningIn(server), { data: { account: workspace, scanId: scan.id }, signal, isLastAttempt: false })
  return scan.id
}

/** Begins a batch in a process that stops before the batch is done. */
async function interrupt(scanning: Scanning, scanId: string, number: number): Promise<void> {
  const data = { account: workspace, scanId, number }
  const signal = AbortSignal.abort(new Error('the process is stopping'))
  await expect(runBatch(scanning, { data, signal, isLastAttempt: false })).rejects.toThrow()
}

async function continuations(id: string): Promise<string[]> {
  const { events } = await server.as(workspace, (ctx) => listScanEvents(ctx, { id }))
  return events.map(({ message }) => message).filter((message) => message === continued)
}

/** Lets a minute pass since anything happened in the scan. */
const passMinute = (id: string) =>
  server.as(workspace, ({ tx }) =>
    tx
      .updateTable('scan')
      .set({ last_activity_at: new Date(Date.now() - 60_000) })
      .where('id', '=', id)
      .execute(),
  )

it('logs once that a scan continues after a restart, whichever batch comes first', async () => {
  const id = await startedScan('127.62.5.1-127.62.5.100')
  await interrupt(scanningIn(server), id, 0)
  expect(await continuations(id)).toEqual([])
  await passMinute(id)
  const restarted = scanningIn(server)
  await interrupt(restarted, id, 1)
  await interrupt(restarted, id, 0)
  expect(await continuations(id)).toEqual([continued])
})

it('takes neither a batch that waited in the queue nor a retry in the same process for a restart', async () => {
  const id = await startedScan('127.62.6.1-127.62.6.100')
  await passMinute(id)
  await interrupt(scanningIn(server), id, 0)
  expect(await continuations(id)).toEqual([])
  await passMinute(id)
  await interrupt({ ...scanningIn(server), startTime: new Date(Date.now() - 3_600_000) }, id, 0)
  expect(await continuations(id)).toEqual([])
})
