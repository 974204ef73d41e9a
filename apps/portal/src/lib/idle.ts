import { nextTask } from '#lib/first-paint.ts'

/** What a page begins with goes first. In milliseconds. */
const beginningMs = 1000

/** Does something that nobody waits for yet, when the page has begun and has nothing else to do. */
export function whenIdle(work: () => unknown): void {
  setTimeout(() => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: 2000 })
    else work()
  }, beginningMs)
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
    goOn()
  }
  return () => waiting.delete(work)
}

function goOn(): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(workOff, { timeout: patienceMs })
  else void nextTask().then(workOff)
}

function workOff(): void {
  const [work] = waiting
  if (!work) {
    isWorking = false
    return
  }
  waiting.delete(work)
  goOn()
  work()
}
