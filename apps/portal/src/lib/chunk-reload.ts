/** A part of the page that cannot be loaded, most often because a newer version replaced it. */
import { serverAnswers } from '#lib/reach.ts'

const flag = 'glacis.reloadedFor'

/**
 * Reloads the page for a part that failed to load, once for each distinct error message in a session.
 *
 * @returns false when it has been tried before, or there is no network: the error is for the error view then.
 */
export function reloadOnceFor(message: string, reload: () => void = () => location.reload()): boolean {
  // Without a network a reload would end on the browser's own page, and all that is shown would be gone.
  if (!navigator.onLine) return false
  const tried = readTried()
  if (!tried || tried.includes(message)) return false
  try {
    sessionStorage.setItem(flag, JSON.stringify([...tried, message]))
  } catch {
    return false
  }
  reload()
  return true
}

/** Undefined when the browser keeps nothing: without a memory a reload might never end. */
function readTried(): readonly string[] | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(flag) ?? '[]')
    return Array.isArray(stored) ? stored.map(String) : []
  } catch {
    return undefined
  }
}

/**
 * Follows Vite's notice of a failed part of the page: it is loaded anew once the server has been heard, since
 * one that does not answer would leave the browser's own page in place of all that is shown. Returns the way to stop.
 */
export function reloadOnMissingParts(): () => void {
  const onFailure = (event: Event & { payload?: unknown }) => {
    const message = event.payload instanceof Error ? event.payload.message : 'a part of the page is missing'
    keepRouterFromReloading(message)
    void serverAnswers().then((answers) => answers && reloadOnceFor(message))
  }
  window.addEventListener('vite:preloadError', onFailure)
  return () => window.removeEventListener('vite:preloadError', onFailure)
}

/** The router reloads for a missing part as well, once for each message, but asks nobody first. */
function keepRouterFromReloading(message: string): void {
  try {
    sessionStorage.setItem(`tanstack_router_reload:${message}`, '1')
  } catch {
    // Where nothing can be kept the router cannot tell either.
  }
}
