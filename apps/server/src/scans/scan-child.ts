/**
 * The process that scans one batch. Receives its request first, sends observations and `done`, and
 * exits with its parent.
 */
import { once } from 'node:events'
import { borrowCallbacks, type Callbacks, loadPacks, scan } from '@glacis/scanner'
import type { ChildMessage, ParentMessage, ScanRequest } from '#scans/scan-process.ts'

process.on('disconnect', () => process.exit())
const [request]: ScanRequest[] = await once(process, 'message')
if (!request) throw new Error('no request was passed')
const stopping = new AbortController()
process.on('message', (message: ParentMessage) => {
  if (message === 'stop') stopping.abort(new Error('stopped'))
})

try {
  const packs = await loadPacks(request.packs)
  const options = {
    signal: stopping.signal,
    packs,
    knownOpen: request.knownOpen,
    withoutAccelerator: (reason: string) => send({ withoutAccelerator: reason }),
    ...(request.callbacks && { callbacks: callbacksOf(request.callbacks) }),
  }
  for await (const observation of scan(request.job, options)) send({ observation })
  send({ done: true })
} catch (error) {
  send({ failed: error instanceof Error ? error.message : String(error) })
}

function send(message: ChildMessage): void {
  process.send?.(message)
}

function callbacksOf(endpoint: NonNullable<ScanRequest['callbacks']>): Callbacks {
  const borrowed = borrowCallbacks(endpoint, (callback) => send({ callback }))
  process.on('message', (message: ParentMessage) => {
    if (message !== 'stop') borrowed.receive(message.callback)
  })
  return borrowed
}
