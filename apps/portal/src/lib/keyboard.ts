/**
 * Keys that work on every page: `/` searches, `g` and a letter go somewhere. Never while somebody types,
 * and not at all for a person who turned them off (WCAG 2.1.4).
 */
import { readStored } from '#lib/storage.ts'

/** Where the choice is kept; the keys are on unless it says `false`. */
export const shortcutsFlag = 'shortcuts'

/** Where `g` and a letter lead. */
const places: Readonly<Record<string, string>> = {
  o: '/overview',
  v: '/risks/verified',
  p: '/risks/potential',
  s: '/scope',
  h: '/assets',
  t: '/technologies',
  r: '/scans',
}
/** The second key has to follow within this time, in milliseconds. */
const sequenceMs = 1000

/** Listens for the keys. Returns the way to stop. */
export function startShortcuts(go: (href: string) => unknown): () => void {
  let goUntil = 0
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isWithModifier(event) || isTyping(event.target) || areOff()) return
    const place = Date.now() < goUntil ? places[event.key] : undefined
    goUntil = event.key === 'g' ? Date.now() + sequenceMs : 0
    if (place) go(place)
    else if (event.key === '/') focusSearch(event)
  }
  document.addEventListener('keydown', press)
  return () => document.removeEventListener('keydown', press)
}

function areOff(): boolean {
  return readStored(shortcutsFlag) === 'false'
}

/** True where a key is text, or moves in something that is open. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    target.closest('input, textarea, select, [role=menu], [role=dialog], [role=listbox]') !== null
  )
}

function isWithModifier(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey
}

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('input[data-search]')
  if (!search) return
  event.preventDefault()
  search.focus()
}
