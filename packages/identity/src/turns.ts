/** Attempts at the same subject run a few at a time within this process. */
import PQueue from 'p-queue'

/** An address under attack has two guesses, so two at a time never refuse each other. */
const concurrency = 2
/** A larger crowd is no person with many devices. */
const waitingMax = 200

const queues = new Map<string, PQueue>()

/**
 * Waits for a turn with this subject, in the order of asking.
 *
 * @returns what ends the turn and must be called once; null when too many wait already
 */
export async function takeTurn(subject: string): Promise<(() => void) | null> {
  const queue = queueOf(subject)
  if (queue.size >= waitingMax) return null
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  void queue.add(async () => {
    started.resolve()
    await ended.promise
  })
  await started.promise
  return ended.resolve
}

function queueOf(subject: string): PQueue {
  const known = queues.get(subject)
  if (known) return known
  const queue = new PQueue({ concurrency })
  queue.addEventListener('idle', () => queues.delete(subject))
  queues.set(subject, queue)
  return queue
}
