/** Detects small screens, below 52rem, where the sidebar becomes a top bar and tables become lists. */
import { useSyncExternalStore } from 'react'

const isSmall = () => window.matchMedia('(width < 52rem)').matches

/** True on phones and at high zoom. */
export function useSmallScreen(): boolean {
  return useSyncExternalStore(subscribe, isSmall)
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('resize', onChange)
  return () => window.removeEventListener('resize', onChange)
}
