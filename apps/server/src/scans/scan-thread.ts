/**
 * The thread that scans one batch. Receives its job as worker data, posts observations, and stops
 * on request.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { ScanJob } from '@glacis/contract/runner'
import { borrowCallbacks, type LentCallbacks, loadPacks, scan } from '@glacis/scanner'
import type { PackFolders } from '#packs/index.ts'

interface ScanRequest {
  readonly job: ScanJob
  readonly knownOpen: Readonly<Record<string, number[]>>
  readonly packs: PackFolders
  readonly callbacks: LentCallbacks | undefined
}

const request = workerData as ScanRequest // posted by scans/run.ts as this type
const stopping = new AbortController()
parentPort?.once('message', () => stopping.abort(new Error('stopped')))

try {
  const packs = await loadPacks(request.packs)
  const options = {
    signal: stopping.signal,
    packs,
    knownOpen: request.knownOpen,
    withoutAccelerator: (reason: string) => parentPort?.postMessage({ withoutAccelerator: reason }),
    ...(request.callbacks && { callbacks: borrowCallbacks(request.callbacks) }),
  }
  for await (const observation of scan(request.job, options)) parentPort?.postMessage(observation)
} catch (error) {
  if (!stopping.signal.aborted) throw error
} finally {
  parentPort?.close()
}
