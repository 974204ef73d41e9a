/** What a page begins with goes first. In milliseconds. */
const beginningMs = 1000

/** Does something that nobody waits for yet, when the page has begun and has nothing else to do. */
export function whenIdle(work: () => unknown): void {
  setTimeout(() => onceIdle(work, 2000), beginningMs)
}

/** Does something when the page has nothing else to do, or after `patienceMs` all the same. */
export function onceIdle(work: () => unknown, patienceMs: number): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: patienceMs })
  else setTimeout(work)
}

const waiting = new Set<() => unknown>()
let isWorking = false
/** A page that is never idle gets to the next one all the same, in milliseconds. */
const patienceMs = 300

/**
 * Does things that come next, in the order in which they were asked for, each in an idle moment of its own.
 *
 * @returns takes it back
 */
export function inIdleTurn(work: () => unknown): () => void {
  waiting.add(work)
  if (!isWorking) {
    isWorking = true
    onceIdle(workOff, patienceMs)
  }
  return () => waiting.delete(work)
}

function workOff(): void {
  const [work] = waiting
  if (!work) {
    isWorking = false
    return
  }
  waiting.delete(work)
  work()
  onceIdle(workOff, patienceMs)
}
