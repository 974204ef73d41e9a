import { cloneElement, type ReactElement, useEffect, useId, useRef, useState } from 'react'
import { createPortal } from 'react-dom'

interface Position {
  readonly left: number
  readonly top: number
  readonly below: boolean
}
interface Anchored {
  readonly 'aria-describedby'?: string
}

/**
 * A tooltip on hover and focus; Escape dismisses it (WCAG 1.4.13). It describes the control, which has its own
 * accessible name.
 */
export function Tooltip({
  label,
  describes = false,
  side = 'top',
  children,
}: {
  readonly label: string
  /** True if the text adds to the control's name: it is read out too, and a click (or tap) shows it. */
  readonly describes?: boolean
  readonly side?: 'top' | 'right'
  readonly children: ReactElement<Anchored>
}) {
  const id = useId()
  const holder = useRef<HTMLSpanElement>(null)
  const [place, setPlace] = useState<Position>()
  const show = () => setPlace(positionOf(holder.current?.firstElementChild, side))
  const hide = () => setPlace(undefined)
  useEffect(() => {
    if (!place) return
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && setPlace(undefined)
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [place])
  return (
    <span
      ref={holder}
      role="presentation"
      className="contents"
      onPointerEnter={show}
      onPointerLeave={hide}
      onFocus={show}
      onBlur={hide}
      onClick={describes ? show : hide}
    >
      {describes && place ? cloneElement(children, { 'aria-describedby': id }) : children}
      {place &&
        createPortal(
          <span
            id={id}
            role="tooltip"
            style={{ left: place.left, top: place.top }}
            className={`pointer-events-none fixed z-(--gl-z-tooltip) max-w-72 rounded-[8px] bg-raised px-2.5 py-1.5 text-12 text-ink shadow-menu ${side === 'right' ? '-translate-y-1/2' : place.below ? '-translate-x-1/2' : '-translate-x-1/2 -translate-y-full'}`}
          >
            {label}
          </span>,
          document.body,
        )}
    </span>
  )
}

function positionOf(anchor: Element | null | undefined, side: 'top' | 'right'): Position | undefined {
  if (!anchor) return undefined
  const box = anchor.getBoundingClientRect()
  if (side === 'right') return { left: box.right + 8, top: box.top + box.height / 2, below: false }
  const below = box.top < 48
  const left = Math.min(Math.max(box.left + box.width / 2, 64), window.innerWidth - 64)
  return { left, top: below ? box.bottom + 6 : box.top - 6, below }
}
