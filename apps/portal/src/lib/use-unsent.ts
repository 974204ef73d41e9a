/** What was put away when a session ended, given back: apart from the putting away, which every page carries. */
import { useEffect, useLayoutEffect, useState } from 'react'
import { readUnsent, writeUnsent, written } from '#lib/unsent.ts'

/** How the session ended, for the page on which one signs in to go on at an address; undefined where it did not. */
export function endedAt(address: string | undefined): { readonly isKept: boolean } | undefined {
  const kept = readUnsent()
  return kept && kept.address === address ? { isKept: Object.keys(kept.texts).length > 0 } : undefined
}

/** A state that survives the end of the session. @param name of what is written, such as "comment" and of what */
export function useUnsent<T>(name: string, initial: T): readonly [T, (value: T) => void] {
  const [begun] = useState(() => JSON.stringify(initial))
  const [value, setValue] = useState(() => keptUnder(name, initial))
  useEffect(() => forget(name), [name])
  useLayoutEffect(() => {
    const text = JSON.stringify(value)
    if (text !== begun) written.set(name, text)
    return () => void written.delete(name)
  }, [name, value, begun])
  return [value, setValue]
}

function keptUnder<T>(name: string, initial: T): T {
  const text = readUnsent()?.texts[name]
  // It was written by this very state.
  return text === undefined ? initial : (JSON.parse(text) as T)
}

function forget(name: string): void {
  const kept = readUnsent()
  if (!kept || !(name in kept.texts)) return
  const { [name]: _taken, ...texts } = kept.texts
  writeUnsent({ ...kept, texts })
}
