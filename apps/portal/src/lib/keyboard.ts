/**
 * Global keyboard shortcuts: `/` focuses search, `g` and a letter navigate, `j` and `k` move in a list, and pages add
 * their own. Inactive while typing, and can be turned off (WCAG 2.1.4); shortcuts with Ctrl or Cmd always work.
 */
import { useEffect } from 'react'
import { readStored } from '#lib/storage.ts'

/** Storage name of the setting; shortcuts are on unless it is `false`. */
export const shortcutsFlag = 'shortcuts'

/** Destinations of `g` and a letter, in sidebar order. */
export const goToShortcuts: readonly { readonly key: string; readonly href: string; readonly label: string }[] = [
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
/** Maximum time between the two keys of a sequence, in milliseconds. */
const sequenceMs = 1000

/** Actions by key: `r`, `?`, or `mod+k` for Ctrl or Cmd. */
export type Keys = Readonly<Record<string, () => void>>

/** Shortcuts of the mounted components; the latest takes precedence. */
let registeredKeys: readonly Keys[] = []

/** Registers shortcuts while the component is mounted. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    registeredKeys = [keys, ...registeredKeys]
    return () => {
      registeredKeys = registeredKeys.filter((other) => other !== keys)
    }
  }, [keys])
}

/** Shortcuts of lists, registered by the first list that mounts. */
let listKeys: ((event: KeyboardEvent) => void) | undefined
export function registerListKeys(act: (event: KeyboardEvent) => void): void {
  listKeys = act
}

/** Starts listening. `go` navigates to a URL and may ignore unknown ones. Returns a cleanup function. */
export function startShortcuts(go: (href: string) => unknown): () => void {
  let goUntil = 0
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return
    // With Alt, and with AltGr on Windows, which also sets Ctrl, keys enter other characters.
    if (event.altKey) return
    if (event.ctrlKey || event.metaKey) return void runShortcut(event, `mod+${event.key.toLowerCase()}`)
    if (handlesKeysItself(event.target) || areShortcutsOff()) return
    const place = Date.now() < goUntil ? goToShortcuts.find(({ key }) => key === event.key) : undefined
    goUntil = event.key === 'g' ? Date.now() + sequenceMs : 0
    if (place) go(place.href)
    else if (event.key === '/') focusSearch(event)
    else if (!runShortcut(event, event.key)) listKeys?.(event)
  }
  document.addEventListener('keydown', press)
  return () => document.removeEventListener('keydown', press)
}

function areShortcutsOff(): boolean {
  return readStored(shortcutsFlag) === 'false'
}

/** Runs the action of a key, for a button with the same action. */
export function pressKey(key: string): void {
  actionOf(key)?.()
}

function actionOf(key: string): (() => void) | undefined {
  return registeredKeys.find((keys) => key in keys)?.[key]
}

function runShortcut(event: KeyboardEvent, key: string): boolean {
  const action = actionOf(key)
  if (!action) return false
  event.preventDefault()
  action()
  return true
}

/** True if the key enters text or operates an open menu, dialog, or list. */
function handlesKeysItself(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable) return true
  return (
    target.closest('textarea, select, input, [role=menu], [role=dialog], [role=listbox]') !== null &&
    !isCheckbox(target)
  )
}

/** Checkboxes take no text, and are in the rows that `j` and `k` move between. */
function isCheckbox(target: HTMLElement): boolean {
  return target.matches('input[type=checkbox]') && target.closest('[role=dialog], [role=menu]') === null
}

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('input[data-search]')
  if (!search) return
  event.preventDefault()
  search.focus()
}
