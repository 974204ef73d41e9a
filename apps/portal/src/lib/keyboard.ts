/**
 * Keys that work on every page: `/` searches, `g` and a letter go somewhere, `j` and `k` move in a list,
 * and what a page adds. Never while somebody types, and not at all for a person who turned them off
 * (WCAG 2.1.4); with Ctrl or Cmd they work everywhere.
 */
import { useEffect } from 'react'
import { readStored } from '#lib/storage.ts'

/** Where the choice is kept; the keys are on unless it says `false`. */
export const shortcutsFlag = 'shortcuts'

/** Where `g` and a letter lead, in the order of the sidebar. */
export const places: readonly { readonly key: string; readonly href: string; readonly label: string }[] = [
  { key: 'o', href: '/overview', label: 'Overview' },
  { key: 'v', href: '/risks/verified', label: 'Verified risks' },
  { key: 'p', href: '/risks/potential', label: 'Potential risks' },
  { key: 'm', href: '/risks/visual', label: 'Visual Map' },
  { key: 's', href: '/scope', label: 'Scope' },
  { key: 'a', href: '/agents', label: 'Agents' },
  { key: 'h', href: '/assets', label: 'Assets' },
  { key: 't', href: '/technologies', label: 'Technologies' },
  { key: 'r', href: '/scans', label: 'Reporting' },
  { key: 'i', href: '/integrations', label: 'Integrations' },
]
/** The second key has to follow within this time, in milliseconds. */
const sequenceMs = 1000

/** What keys do on a page: `r`, `?`, or `mod+k` for Ctrl or Cmd. */
export type Keys = Readonly<Record<string, () => void>>

/** The keys of what is on show; what came last is asked first. */
let pages: readonly Keys[] = []

/** Gives keys a meaning for as long as the component is on show. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    pages = [keys, ...pages]
    return () => {
      pages = pages.filter((other) => other !== keys)
    }
  }, [keys])
}

/** What the keys do in lists; the first that is shown brings it. */
let inLists: ((event: KeyboardEvent) => void) | undefined
export function bringListKeys(act: (event: KeyboardEvent) => void): void {
  inLists = act
}

/** Listens for the keys. `go` opens an address and may leave out those that do not exist. Returns the way to stop. */
export function startShortcuts(go: (href: string) => unknown): () => void {
  let goUntil = 0
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return
    if (isWithModifier(event)) return void actOnPage(event, `mod+${event.key.toLowerCase()}`)
    if (isTyping(event.target) || areOff()) return
    const place = Date.now() < goUntil ? places.find(({ key }) => key === event.key) : undefined
    goUntil = event.key === 'g' ? Date.now() + sequenceMs : 0
    if (place) go(place.href)
    else if (event.key === '/') focusSearch(event)
    else if (!actOnPage(event, event.key)) inLists?.(event)
  }
  document.addEventListener('keydown', press)
  return () => document.removeEventListener('keydown', press)
}

function areOff(): boolean {
  return readStored(shortcutsFlag) === 'false'
}

function actOnPage(event: KeyboardEvent, key: string): boolean {
  const action = pages.find((keys) => key in keys)?.[key]
  if (!action) return false
  event.preventDefault()
  action()
  return true
}

/** True where a key is text, or moves in something that is open. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable) return true
  return (
    target.closest('textarea, select, input, [role=menu], [role=dialog], [role=listbox]') !== null && !isBox(target)
  )
}

/** A box to tick takes no text, and stands in the rows that the keys move between. */
function isBox(target: HTMLElement): boolean {
  return target.matches('input[type=checkbox]') && target.closest('[role=dialog], [role=menu]') === null
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
