/** What keys call up from anywhere: the palette and the map of the keyboard, loaded when they are first wanted. */
import { useMemo, useState } from 'react'
import { useKeys } from '#lib/keyboard.ts'
import { addToast } from '#lib/toasts.ts'

const load = {
  palette: async () => (await import('#shell/palette.tsx')).Palette,
  help: async () => (await import('#shell/keyboard-help.tsx')).KeyboardHelp,
}
type Summoned = keyof typeof load
type Loaded = { readonly [What in Summoned]?: Awaited<ReturnType<(typeof load)[What]>> }

/** Listens as long as somebody is signed in. */
export function Summons() {
  const [shown, setShown] = useState<Summoned>()
  const [{ palette: Palette, help: KeyboardHelp }, setLoaded] = useState<Loaded>({})
  const keys = useMemo(() => {
    const summon = async (what: Summoned) => {
      try {
        const part = await load[what]()
        setLoaded((before) => ({ ...before, [what]: part }))
        setShown(what)
      } catch {
        addToast('error', { title: 'Not loaded', message: 'The server does not answer. Try again in a moment.' })
      }
    }
    return { 'mod+k': () => void summon('palette'), '?': () => void summon('help') }
  }, [])
  useKeys(keys)
  const close = () => setShown(undefined)
  return (
    <>
      {Palette && <Palette open={shown === 'palette'} onClose={close} onHelp={keys['?']} />}
      {KeyboardHelp && <KeyboardHelp open={shown === 'help'} onClose={close} />}
    </>
  )
}
