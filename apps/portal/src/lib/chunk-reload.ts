/** Recovers from code chunks that fail to load, usually because a newer version was deployed. */
import { isServerReachable } from '#lib/server-reachable.ts'

const flag = 'glacis.reloadedFor'

/**
 * Reloads the page after a chunk failed to load, once per distinct error message and session.
 *
 * @returns false if that was already tried or the browser is offline; the error view shows the error then
 */
export function reloadOnceFor(message: string, reload: () => void = () => location.reload()): boolean {
  // Reloading while offline would replace the app with the browser's own error page.
  if (!navigator.onLine) return false
  const tried = readAttempts()
  if (!tried || tried.includes(message)) return false
  try {
    sessionStorage.setItem(flag, JSON.stringify([...tried, message]))
  } catch {
    return false
  }
  reload()
  return true
}

/** Undefined if session storage is unavailable: without it, reloads could loop forever. */
function readAttempts(): readonly string[] | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(flag) ?? '[]')
    return Array.isArray(stored) ? stored.map(String) : []
  } catch {
    return undefined
  }
}

/**
 * Reloads on Vite's `preloadError` event, but only if the server responds: otherwise the browser's error page would
 * replace the app. Returns a cleanup function.
 */
export function reloadOnMissingChunks(): () => void {
  const onFailure = (event: Event & { payload?: unknown }) => {
    const message = event.payload instanceof Error ? event.payload.message : 'a part of the page failed to load'
    preventRouterReload(message)
    void isServerReachable().then((answers) => answers && reloadOnceFor(message))
  }
  window.addEventListener('vite:preloadError', onFailure)
  return () => window.removeEventListener('vite:preloadError', onFailure)
}

/** The router also reloads for a missing chunk, once per message, but without checking the server first. */
function preventRouterReload(message: string): void {
  try {
    sessionStorage.setItem(`tanstack_router_reload:${message}`, '1')
  } catch {
    // Without session storage, the router doesn't reload either.
  }
}
