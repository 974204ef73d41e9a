/**
 * The library of menus and dialogs, which weighs as much as all pages together and shows nothing until somebody
 * opens one: it comes after the first page.
 */
import { use } from 'react'

type Parts = typeof import('#ui/headless-parts.ts')

let parts: Parts | undefined
let loading: Promise<Parts> | undefined

/** Begins to load it, once. Rejects, and may be asked again, when it cannot be had. */
export function loadHeadless(): Promise<Parts> {
  loading ??= import('#ui/headless-parts.ts').then(
    (loaded) => {
      tellFocus()
      return (parts = loaded)
    },
    (error: unknown) => {
      loading = undefined
      throw error
    },
  )
  return loading
}

/** What closes gives the focus back to what the library has last seen focused; before it came it has seen nothing. */
function tellFocus(): void {
  document.activeElement?.dispatchEvent(new FocusEvent('focus'))
}

/** Does something as soon as it is there: at once, where it is. Where it cannot be had, the page is loaded anew. */
export function whenLoaded(work: () => void): void {
  if (parts) work()
  else void loadHeadless().then(work, () => undefined)
}

/** Its parts; suspends as long as they are not there. */
export function useHeadless(): Parts {
  return parts ?? use(loadHeadless())
}
