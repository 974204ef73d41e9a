/** A bounded number of places per key; who finds none waits in line. */
export interface Lanes {
  /**
   * Waits for a place and answers with the function that gives it back.
   *
   * @throws the reason of `signal` when it aborts before a place was free
   */
  enter(key: string, signal: AbortSignal): Promise<() => void>
}

interface Lane {
  taken: number
  readonly waiting: Set<() => void>
}

/** @param places how many may be inside side by side, per key */
export function createLanes(places: number): Lanes {
  const lanes = new Map<string, Lane>()

  const leave = (key: string, lane: Lane) => {
    const [next] = lane.waiting
    if (next) return next()
    lane.taken -= 1
    if (lane.taken === 0) lanes.delete(key)
  }
  return {
    async enter(key, signal) {
      signal.throwIfAborted()
      const lane = lanes.get(key) ?? { taken: 0, waiting: new Set() }
      lanes.set(key, lane)
      if (lane.taken < places) lane.taken += 1
      else await turn(lane, signal)
      return once(() => leave(key, lane))
    },
  }
}

/** Resolves when a place is handed over; it stays counted as taken in between. */
function turn(lane: Lane, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const giveUp = () => {
    lane.waiting.delete(take)
    reject(signal.reason)
  }
  const take = () => {
    lane.waiting.delete(take)
    signal.removeEventListener('abort', giveUp)
    resolve()
  }
  lane.waiting.add(take)
  signal.addEventListener('abort', giveUp, { once: true })
  return promise
}

function once(action: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    action()
  }
}
