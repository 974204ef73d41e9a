/**
 * Loads Headless UI when a menu or dialog is first used. It is 38 KB of compressed JavaScript that no page needs
 * before that.
 */
import { use } from 'react'

type Parts = typeof import('#ui/headless-parts.ts')

let parts: Parts | undefined
let loading: Promise<Parts> | undefined

/** Loads it once. Can be called again after a rejection. */
export function loadHeadless(): Promise<Parts> {
  loading ??= import('#ui/headless-parts.ts').then(
    (loaded) => {
      dispatchFocus()
      return (parts = loaded)
    },
    (error: unknown) => {
      loading = undefined
      throw error
    },
  )
  return loading
}

/** Headless UI returns focus to the element that it last saw focused, and it sees only what happens after it loaded. */
function dispatchFocus(): void {
  document.activeElement?.dispatchEvent(new FocusEvent('focus'))
}

/** Starts loading without waiting. */
export function preloadHeadless(): void {
  void loadHeadless().catch(() => undefined) // retried on use
}

/** Runs `work` once it is loaded: immediately, if it is. If it can't be loaded, `reloadOnMissingChunks` takes over. */
export function whenLoaded(work: () => void): void {
  if (parts) work()
  else void loadHeadless().then(work, () => undefined)
}

/** Its components; suspends until they are loaded. */
export function useHeadless(): Parts {
  return parts ?? use(loadHeadless())
}
