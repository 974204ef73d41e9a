/**
 * Runs the work for each item, at most so many at one time, in order of the items. The first error
 * ends it: nothing more is begun, and it is thrown once what runs has ended.
 */
export async function forEachOf<Item>(
  items: Iterable<Item>,
  parallel: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  const failures: unknown[] = []
  const walk = async () => {
    while (failures.length === 0) {
      const next = rest.next()
      if (next.done) return
      await work(next.value).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: parallel }, walk))
  if (failures.length > 0) throw failures[0]
}

/** Lets so many through at one time, the others in the order they came. */
export interface Gate {
  /** Runs the work once there is room; rejects with the signal's reason while it waits. */
  pass<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value>
}

/** @param room how many may be inside at one time */
export function createGate(room: number): Gate {
  let inside = 0
  const waiting: (() => void)[] = []
  return {
    async pass(work, signal) {
      if (inside >= room) await turn(waiting, signal)
      else inside++
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else inside--
      }
    },
  }
}

/** Waits for a place that somebody leaves to us. */
async function turn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const mine = Promise.withResolvers<void>()
  const stop = () => {
    const at = waiting.indexOf(mine.resolve)
    if (at === -1) return
    waiting.splice(at, 1)
    mine.reject(signal.reason)
  }
  signal.addEventListener('abort', stop, { once: true })
  waiting.push(mine.resolve)
  try {
    await mine.promise
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
