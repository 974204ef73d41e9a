/** Restores drafts after signing in again. Separate from `drafts.ts`, which every page loads to save them. */
import { useEffect, useLayoutEffect, useState } from 'react'
import { readSavedDrafts, writeSavedDrafts, currentDrafts } from '#lib/drafts.ts'

/** How the session ended on the page at `address`, for the login page; undefined if it didn't end there. */
export function sessionEndedAt(address: string | undefined): { readonly isKept: boolean } | undefined {
  const saved = readSavedDrafts()
  return saved && saved.address === address ? { isKept: Object.keys(saved.texts).length > 0 } : undefined
}

/**
 * State that survives the end of the session.
 *
 * @param name identifies the draft, such as "comment" and the ID it belongs to
 */
export function useDraft<T>(name: string, initial: T): readonly [T, (value: T) => void] {
  const [initialText] = useState(() => JSON.stringify(initial))
  const [value, setValue] = useState(() => savedDraft(name, initial))
  useEffect(() => discardDraft(name), [name])
  useLayoutEffect(() => {
    const text = JSON.stringify(value)
    if (text !== initialText) currentDrafts.set(name, text)
    return () => void currentDrafts.delete(name)
  }, [name, value, initialText])
  return [value, setValue]
}

function savedDraft<T>(name: string, initial: T): T {
  const text = readSavedDrafts()?.texts[name]
  // The same hook with the same type wrote it.
  return text === undefined ? initial : (JSON.parse(text) as T)
}

function discardDraft(name: string): void {
  const saved = readSavedDrafts()
  if (!saved || !(name in saved.texts)) return
  const { [name]: _taken, ...texts } = saved.texts
  writeSavedDrafts({ ...saved, texts })
}
