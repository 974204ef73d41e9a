/** What stands further down a page, and is built after what is looked at. */
import { type ReactNode, startTransition, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { cx } from '#lib/cx.ts'
import { inIdleTurn } from '#lib/idle.ts'

interface LaterProps {
  /** Holds the place until then: as tall as what comes, so that nothing below it moves. */
  readonly place?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}

/**
 * Builds its children when they are about to be seen, and otherwise bit by bit when the page has nothing else to do:
 * whoever searches the page, prints it or has it read out finds all of it.
 */
export function Later({ place, className, children }: LaterProps) {
  const here = useRef<HTMLDivElement>(null)
  const [isDue, setIsDue] = useState(false)
  useEffect(() => {
    if (isDue) return
    const build = () => startTransition(() => setIsDue(true))
    const takeBack = inIdleTurn(build)
    const stopWatching = onceNear(here.current, build)
    const printed = () => flushSync(() => setIsDue(true))
    window.addEventListener('beforeprint', printed)
    return () => {
      takeBack()
      stopWatching()
      window.removeEventListener('beforeprint', printed)
    }
  }, [isDue])
  return (
    <div ref={here} className={cx('min-w-0', className)}>
      {isDue ? children : place}
    </div>
  )
}

/** Calls back once, when an element is on the screen or just below it. Returns the way to stop it. */
function onceNear(element: Element | null, near: () => void): () => void {
  if (!element || typeof IntersectionObserver === 'undefined') return () => undefined
  const observer = new IntersectionObserver(
    (entries) => entries.some(({ isIntersecting }) => isIntersecting) && near(),
    {
      rootMargin: '0px 0px 20% 0px',
    },
  )
  observer.observe(element)
  return () => observer.disconnect()
}
