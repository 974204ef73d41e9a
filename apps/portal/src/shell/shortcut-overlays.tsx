/** Overlays opened by shortcuts on any page: the command palette and the keyboard help. Loaded on first use. */
import { lazy, Suspense, useMemo, useState } from 'react'
import { useKeys } from '#lib/keyboard.ts'

const Palette = lazy(async () => ({ default: (await import('#shell/palette.tsx')).Palette }))
const KeyboardHelp = lazy(async () => ({ default: (await import('#shell/keyboard-help.tsx')).KeyboardHelp }))

type Overlay = 'palette' | 'help'

/** Active while a user is signed in. */
export function ShortcutOverlays() {
  const [shown, setShown] = useState<Overlay>()
  const [wasWanted, setWasWanted] = useState<readonly Overlay[]>([])
  const keys = useMemo(() => {
    const show = (what: Overlay) => {
      setWasWanted((before) => [...before, what])
      setShown(what)
    }
    return { 'mod+k': () => show('palette'), '?': () => show('help') }
  }, [])
  useKeys(keys)
  const close = () => setShown(undefined)
  return (
    <Suspense fallback={null}>
      {wasWanted.includes('palette') && <Palette open={shown === 'palette'} onClose={close} onHelp={keys['?']} />}
      {wasWanted.includes('help') && <KeyboardHelp open={shown === 'help'} onClose={close} />}
    </Suspense>
  )
}
