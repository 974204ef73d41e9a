/** How somebody came to the page that stands. */

const navigation = () => performance.getEntriesByType('navigation')[0]
const typeOf = (entry: PerformanceEntry | undefined) => (entry && 'type' in entry ? entry.type : 'navigate')

let isReturning: boolean | undefined
let isFirst = true
globalThis.addEventListener('popstate', () => (isReturning = true))

/**
 * True where somebody comes back to a page, by the browser's buttons or by loading it anew: it is as it was left, and
 * as tall, because it is shown where it was left.
 */
export function comesBack(): boolean {
  return isReturning ?? typeOf(navigation()) !== 'navigate'
}

/** True until a page has been drawn: a browser that has just begun takes its time for everything. */
export function isFirstPage(): boolean {
  return isFirst
}

/** From now on a page is a new one, unless the browser's buttons lead to it. */
export function hasArrived(): void {
  isReturning = false
  isFirst = false
}
