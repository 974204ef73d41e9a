/** Whether the screen is a small one: under 52rem, where the menu is a bar and tables fold. */
import { useSyncExternalStore } from 'react'

const isSmall = () => window.matchMedia('(width < 52rem)').matches

/** True on a phone, or as far magnified. */
export function useSmallScreen(): boolean {
  return useSyncExternalStore(subscribe, isSmall)
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('resize', onChange)
  return () => window.removeEventListener('resize', onChange)
}
