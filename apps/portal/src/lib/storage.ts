/** Preferences in local storage. If the browser blocks it, they last until the page is reloaded. */
import { useSyncExternalStore } from 'react'

const prefix = 'glacis.'
const memoryFallback = new Map<string, string>()
const listeners = new Set<() => void>()

/** The value stored under a name, or null. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name)
  } catch {
    return memoryFallback.get(name) ?? null
  }
}

/** Stores a value and notifies all readers on the page. */
export function writeStored(name: string, value: string): void {
  try {
    localStorage.setItem(prefix + name, value)
  } catch {
    memoryFallback.set(name, value)
  }
  for (const listener of listeners) listener()
}

/** Calls `listener` when a stored value changes, here or in another tab. Returns a cleanup function. */
export function onStoredChange(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

/** A value from local storage, or null. */
export function useStoredText(name: string): string | null {
  return useSyncExternalStore(onStoredChange, () => readStored(name))
}

/** A boolean from local storage. */
export function useStoredFlag(name: string, initially = false): readonly [boolean, (value: boolean) => void] {
  const stored = useSyncExternalStore(onStoredChange, () => readStored(name))
  return [stored === null ? initially : stored === 'true', (value) => writeStored(name, String(value))]
}
