/** Limits concurrent attempts per key within this process. */
import PQueue from 'p-queue'

/** Equals the attempts that remain for an address during an attack, so that concurrent attempts don't throttle each other. */
const concurrency = 2
/** A user with many devices stays well below this. */
const queueLengthMax = 200

const queues = new Map<string, PQueue>()

/**
 * Waits for a free slot in first-in, first-out order.
 *
 * @returns a function that releases the slot, or null if the queue is full
 */
export async function acquireSlot(key: string): Promise<(() => void) | null> {
  const queue = getQueue(key)
  if (queue.size >= queueLengthMax) return null
  const acquired = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  void queue.add(async () => {
    acquired.resolve()
    await released.promise
  })
  await acquired.promise
  return released.resolve
}

function getQueue(key: string): PQueue {
  const existing = queues.get(key)
  if (existing) return existing
  const queue = new PQueue({ concurrency })
  queue.addEventListener('idle', () => queues.delete(key))
  queues.set(key, queue)
  return queue
}
