/** Resolves when the browser has painted what the document itself shows. A page that nobody sees does not wait. */
export async function firstPaint(): Promise<void> {
  if (document.visibilityState === 'hidden') return
  await new Promise((painted) => {
    requestAnimationFrame(() => setTimeout(painted))
    // A window that is covered may have no frames.
    setTimeout(painted, patienceMs)
  })
}

const patienceMs = 200

/** Lets the browser do what waits before going on. */
export function nextTask(): Promise<void> {
  // A timer within timers waits for 4 ms; this one does not, where a browser has it.
  return 'scheduler' in globalThis && 'yield' in scheduler
    ? scheduler.yield()
    : new Promise((resume) => setTimeout(resume))
}
