/** The job queue alone: handoff to another connection, and the rate of small batches. */
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../apps/server/src/database/index.ts'
import { createJobs, type Jobs } from '../../apps/server/src/jobs.ts'
import { listenLive } from '../../apps/server/src/live.ts'
import { quantile } from '../api/readers.ts'

const silent = { info() {}, warn() {}, error() {} }
const samples = 200
const batches = 1000
const workspaces = 10

export async function measureQueue(
  url: string,
  report: (row: { figure: string; value: number; unit: string; limit?: number; least?: number }) => void,
): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const database = openDatabase(url, silent)
  resources.defer(() => database.close())
  const create = async (): Promise<Jobs> => {
    const jobs = createJobs(url, silent, { supervise: false })
    resources.defer(() => jobs.close())
    await jobs.prepare(database.owner)
    return jobs
  }
  const sender = await create()
  const receivers = [await create(), await create()]
  const live = await listenLive(url, silent)
  resources.defer(() => live.close())
  for (const receiver of receivers) live.onJob(receiver.wake)

  const arrived = new Map<string, (value: unknown) => void>()
  await receivers[0]?.work('decisions', 1, async ({ data }) => arrived.get(data.account)?.(undefined))
  const times: number[] = []
  for (let count = 0; count < samples; count++) {
    const workspace = randomUUID()
    const arrival = new Promise((resolve) => arrived.set(workspace, resolve))
    await database.owner.transaction().execute((tx) => sender.enqueue(tx, 'decisions', { account: workspace }))
    const committedAt = performance.now()
    await arrival
    times.push(performance.now() - committedAt)
  }
  report({ figure: 'handoff of a job, p95', value: quantile(times, 0.95), unit: 'ms', limit: 100 })

  const { promise: done, resolve } = Promise.withResolvers<void>()
  let remaining = batches
  await database.owner.transaction().execute(async (tx) => {
    for (let index = 0; index < workspaces; index++) {
      const workspace = randomUUID()
      const jobs = Array.from({ length: batches / workspaces }, (_, number) => ({
        data: { account: workspace, scanId: workspace, number },
        cost: 1,
      }))
      await sender.enqueueFairly(tx, 'scan-batch', workspace, jobs)
    }
  })
  const startedAt = performance.now()
  const finish = async () => {
    remaining -= 1
    if (remaining === 0) resolve()
  }
  for (const receiver of receivers) await receiver.work('scan-batch', 3, finish, { perWorkspace: 2 })
  await done
  const perSecond = batches / ((performance.now() - startedAt) / 1000)
  report({ figure: 'small batches per second, two workers', value: perSecond, unit: '/s', least: 150 })
}
