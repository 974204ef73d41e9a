/** The thread in which one batch is scanned. It gets its job at birth, posts observations, and stops on request. */
import { parentPort, workerData } from 'node:worker_threads'
import type { ScanJob } from '@glacis/contract/runner'
import { borrowCallbacks, type LentCallbacks, loadPacks, scan } from '@glacis/scanner'
import type { PackFolders } from '#packs/index.ts'

interface Orders {
  readonly job: ScanJob
  readonly knownOpen: Readonly<Record<string, number[]>>
  readonly packs: PackFolders
  readonly callbacks: LentCallbacks | undefined
}

const orders = workerData as Orders // posted by scans/run.ts, of this very type
const stopping = new AbortController()
parentPort?.once('message', () => stopping.abort(new Error('stopped')))

try {
  const packs = await loadPacks(orders.packs)
  const options = {
    signal: stopping.signal,
    packs,
    knownOpen: orders.knownOpen,
    withoutAccelerator: (reason: string) => parentPort?.postMessage({ withoutAccelerator: reason }),
    ...(orders.callbacks && { callbacks: borrowCallbacks(orders.callbacks) }),
  }
  for await (const observation of scan(orders.job, options)) parentPort?.postMessage(observation)
} catch (error) {
  if (!stopping.signal.aborted) throw error
} finally {
  parentPort?.close()
}
