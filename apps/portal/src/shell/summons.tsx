/** What keys call up from anywhere: the palette and the map of the keyboard, loaded when they are first wanted. */
import { lazy, Suspense, useMemo, useState } from 'react'
import { useKeys } from '#lib/keyboard.ts'

const Palette = lazy(async () => ({ default: (await import('#shell/palette.tsx')).Palette }))
const KeyboardHelp = lazy(async () => ({ default: (await import('#shell/keyboard-help.tsx')).KeyboardHelp }))

type Summoned = 'palette' | 'help'

/** Listens as long as somebody is signed in. */
export function Summons() {
  const [shown, setShown] = useState<Summoned>()
  const [wasWanted, setWasWanted] = useState<readonly Summoned[]>([])
  const keys = useMemo(() => {
    const summon = (what: Summoned) => {
      setWasWanted((before) => [...before, what])
      setShown(what)
    }
    return { 'mod+k': () => summon('palette'), '?': () => summon('help') }
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
