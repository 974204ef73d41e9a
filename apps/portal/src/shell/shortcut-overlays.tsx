/** Overlays opened by shortcuts on any page: the command palette and the keyboard help. Loaded on first use. */
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { useKeys } from '#lib/keyboard.ts'

const Palette = lazy(async () => ({ default: (await import('#shell/palette.tsx')).Palette }))
const KeyboardHelp = lazy(async () => ({ default: (await import('#shell/keyboard-help.tsx')).KeyboardHelp }))

type Overlay = 'palette' | 'help'

/** Active while a user is signed in. */
export function ShortcutOverlays() {
  const [shown, setShown] = useState<Overlay>()
  const [wasWanted, setWasWanted] = useState<readonly Overlay[]>([])
  const [typed, setTyped] = useState('')
  const keys = useMemo(() => {
    const show = (what: Overlay) => {
      setTyped('')
      setWasWanted((before) => [...before, what])
      setShown(what)
    }
    return { 'mod+k': () => show('palette'), '?': () => show('help') }
  }, [])
  useKeys(keys)
  const close = () => setShown(undefined)
  useEffect(() => (shown ? holdKeys(setTyped, close) : undefined), [shown])
  return (
    // One boundary each: while one overlay loads, the other isn't hidden, which would count as closing both.
    <>
      <Suspense fallback={null}>
        {wasWanted.includes('palette') && (
          <Palette open={shown === 'palette'} onClose={close} onHelp={keys['?']} typed={typed} />
        )}
      </Suspense>
      <Suspense fallback={null}>
        {wasWanted.includes('help') && <KeyboardHelp open={shown === 'help'} onClose={close} />}
      </Suspense>
    </>
  )
}

/**
 * Until the overlay has the focus, collects the keys that are typed for it. The page would take them as shortcuts, and
 * `r` resolves a risk. Returns a cleanup function.
 */
function holdKeys(type: (append: (text: string) => string) => void, close: () => void): () => void {
  const hold = (event: KeyboardEvent) => {
    const { key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || document.activeElement?.closest('[role=dialog]')) return
    event.preventDefault()
    event.stopPropagation()
    if (key === 'Escape') close()
    else if (key === 'Backspace') type((text) => text.slice(0, -1))
    else if (key.length === 1) type((text) => text + key)
  }
  document.addEventListener('keydown', hold, true)
  return () => document.removeEventListener('keydown', hold, true)
}
