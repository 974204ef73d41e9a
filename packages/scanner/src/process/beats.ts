/** The process's side of the watchdog: publishes which unit of work is running. */
import { Worker } from 'node:worker_threads'
import { observeUnits } from '#unit.ts'

/** Layout of the memory shared with the thread. */
export const layout = { isBusy: 0, count: 1, length: 2, headerBytes: 16, textBytes: 1024 } as const

const loopMs = 100

export interface Beats {
  /** Runs `work` while a thread reports heartbeats, even if `work` never yields. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Suspends the heartbeats within `during`. */
  suspendedDuring<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Starts the thread that writes heartbeats. It sleeps while there is no work, and ends the process
 * when its parent has exited.
 */
export function startBeats(): Beats {
  const shared = new SharedArrayBuffer(layout.headerBytes + layout.textBytes)
  const header = new Int32Array(shared, 0, 4)
  const text = Buffer.from(shared, layout.headerBytes, layout.textBytes)
  const thread = new Worker(new URL('beat-thread.ts', import.meta.url), {
    workerData: shared,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  thread.unref()
  observeUnits((unit) => {
    header[layout.length] = unit ? text.write(`${unit.address} ${unit.check}`) : 0
    Atomics.add(header, layout.count, 1)
  })
  const setBusy = (isBusy: boolean) => {
    Atomics.store(header, layout.isBusy, Number(isBusy))
    Atomics.notify(header, layout.isBusy)
  }
  return {
    async during(work) {
      const turn = setInterval(() => Atomics.add(header, layout.count, 1), loopMs)
      setBusy(true)
      try {
        return await work()
      } finally {
        setBusy(false)
        clearInterval(turn)
      }
    },
    async suspendedDuring(work) {
      setBusy(false)
      try {
        return await work()
      } finally {
        Atomics.add(header, layout.count, 1)
        setBusy(true)
      }
    },
  }
}
