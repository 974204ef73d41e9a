/** The chosen and the effective theme. `public/before-paint.js` applies the same rule before the first paint. */
import { useSyncExternalStore } from 'react'
import { onStoredChange, readStored, writeStored } from '#lib/storage.ts'

const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const prefersDark = () => window.matchMedia('(prefers-color-scheme: dark)')

/** The theme chosen in this browser; `system` by default. */
export function chosenTheme(): Theme {
  const stored = readStored('theme')
  return themes.find((theme) => theme === stored) ?? 'system'
}

/** Stores the choice and applies it immediately. */
export function chooseTheme(theme: Theme): void {
  writeStored('theme', theme)
}

/** Applies the theme now and whenever the choice or the system preference changes. Returns a cleanup function. */
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

/** The choice, as a React hook. */
export function useTheme(): Theme {
  return useSyncExternalStore(onStoredChange, chosenTheme)
}

function showTheme(): void {
  const theme = chosenTheme()
  const isDark = theme === 'dark' || (theme === 'system' && prefersDark().matches)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
}
