import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function that stays the same while a part of the page is drawn anew, and does what the newest one does. For events. */
export function useSteady<Args extends readonly unknown[], Result>(
  newest: (...args: Args) => Result,
): (...args: Args) => Result {
  const does = useRef(newest)
  useLayoutEffect(() => {
    does.current = newest
  })
  return useCallback((...args: Args) => does.current(...args), [])
}
