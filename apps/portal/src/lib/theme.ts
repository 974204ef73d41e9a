/** The theme a person chose, and the one that shows. `early.js` does the same before the first paint. */
import { useSyncExternalStore } from 'react'
import { onStoredChange, readStored, writeStored } from '#lib/storage.ts'

const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const prefersDark = () => window.matchMedia('(prefers-color-scheme: dark)')

/** The choice of this browser; `system` until there is one. */
export function chosenTheme(): Theme {
  const stored = readStored('theme')
  return themes.find((theme) => theme === stored) ?? 'system'
}

/** Remembers a choice and shows it at once. */
export function chooseTheme(theme: Theme): void {
  writeStored('theme', theme)
}

/** Shows the chosen theme now and whenever the choice or, under `system`, the device changes. Returns the way to stop. */
export function followTheme(): () => void {
  const device = prefersDark()
  const stopStored = onStoredChange(showTheme)
  device.addEventListener('change', showTheme)
  showTheme()
  return () => {
    stopStored()
    device.removeEventListener('change', showTheme)
  }
}

/** The choice, for a switch. */
export function useTheme(): Theme {
  return useSyncExternalStore(onStoredChange, chosenTheme)
}

function showTheme(): void {
  const theme = chosenTheme()
  const isDark = theme === 'dark' || (theme === 'system' && prefersDark().matches)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
}
