/** What a browser remembers for a person. A browser that forbids it remembers for the page's life only. */
import { useSyncExternalStore } from 'react'

const prefix = 'glacis.'
const forgotten = new Map<string, string>()
const listeners = new Set<() => void>()

/** The text stored under a name, or null. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name)
  } catch {
    return forgotten.get(name) ?? null
  }
}

/** Stores a text under a name and tells every reader on the page. */
export function writeStored(name: string, value: string): void {
  try {
    localStorage.setItem(prefix + name, value)
  } catch {
    forgotten.set(name, value)
  }
  for (const listener of listeners) listener()
}

/** Calls back when a stored text changes, here or in another tab. Returns the way to stop it. */
export function onStoredChange(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

/** A text that lives in local storage, or null. */
export function useStoredText(name: string): string | null {
  return useSyncExternalStore(onStoredChange, () => readStored(name))
}

/** A truth value that lives in local storage. */
export function useStoredFlag(name: string, initially = false): readonly [boolean, (value: boolean) => void] {
  const stored = useSyncExternalStore(onStoredChange, () => readStored(name))
  return [stored === null ? initially : stored === 'true', (value) => writeStored(name, String(value))]
}
