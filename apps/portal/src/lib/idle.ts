/** What a page begins with goes first. In milliseconds. */
const beginningMs = 1000

/** Does something that nobody waits for yet, when the page has begun and has nothing else to do. */
export function whenIdle(work: () => unknown): void {
  setTimeout(() => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: 2000 })
    else work()
  }, beginningMs)
}
