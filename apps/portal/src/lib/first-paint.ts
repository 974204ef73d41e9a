/**
 * Resolves when what the document itself shows is on the screen: a frame after it has been laid out, which the browser
 * tells. A page that nobody sees, or that shows nothing yet, does not wait.
 */
export async function firstPaint(): Promise<void> {
  if (document.visibilityState === 'hidden' || !('frame' in document.documentElement.dataset)) return
  await new Promise<void>((painted) => {
    if (PerformanceObserver.supportedEntryTypes.includes('paint')) {
      new PerformanceObserver((_, observer) => {
        observer.disconnect()
        painted()
      }).observe({ type: 'paint', buffered: true })
    } else requestAnimationFrame(() => setTimeout(painted))
    // A window that is covered may have no frames.
    setTimeout(painted, patienceMs)
  })
}

const patienceMs = 500

/** Resolves when what the document shows now has been painted, or when that takes too long. */
export async function nextPaint(): Promise<void> {
  if (document.visibilityState === 'hidden') return
  await new Promise<void>((painted) => {
    requestAnimationFrame(() => void nextTask().then(painted))
    setTimeout(painted, frameMs)
  })
}

const frameMs = 100

/** Lets the browser do what waits before going on. */
export function nextTask(): Promise<void> {
  // A timer within timers waits for 4 ms; this one does not, where a browser has it.
  return 'scheduler' in globalThis && 'yield' in scheduler
    ? scheduler.yield()
    : new Promise((resume) => setTimeout(resume))
}
