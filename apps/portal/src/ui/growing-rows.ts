/**
 * A table begins with its first rows; what else the screen shows comes with the next frames, and the others when the
 * page has nothing else to do.
 */
import { type RefObject, startTransition, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { comesBack, isFirstPage } from '#lib/arrival.ts'
import { nextTask } from '#lib/first-paint.ts'
import { inIdleTurn } from '#lib/idle.ts'

/** What stands above a table at least, and the least height of a row, in pixels. */
const headPx = 200
const rowPx = { sheet: 40, phone: 64 }
/** The height of a row that is not there yet, in pixels: `--gl-row`, or what a phone makes of one. */
const roomPx = { sheet: 40, phone: 84 }
/** Rows at a time: few, so that no single frame has much to do. */
const step = 4
/** Rows that a page which somebody has gone to is painted with. */
const firstRows = 10

interface Growing {
  /** How many rows are drawn, from the first one on. */
  readonly drawn: number
  /** The height of the others, in pixels. */
  readonly below: number
}

/** How much of a table of `count` rows is drawn by now. All of it for paper, and when the rest comes near. */
export function useGrowingRows(body: RefObject<Element | null>, count: number): Growing {
  const [{ device, onScreen }] = useState(sizes)
  const [upTo, setUpTo] = useState(() => atFirst(device, onScreen))
  const drawn = count - upTo <= step ? count : upTo
  const isGrowing = drawn < count
  useEffect(() => {
    if (!isGrowing) return
    const all = () => flushSync(() => setUpTo(Infinity))
    const stop = new AbortController()
    const { signal } = stop
    const look = () => {
      if (isNear(body.current)) all()
    }
    document.addEventListener('scroll', look, { capture: true, passive: true, signal })
    addEventListener('resize', look, { signal })
    addEventListener('beforeprint', all, { signal })
    return () => stop.abort()
  }, [body, isGrowing])
  useEffect(() => {
    if (!isGrowing) return undefined
    const more = (rows: number) => startTransition(() => setUpTo((now) => now + rows))
    const missing = onScreen - drawn
    if (device === 'sheet' || missing <= 0) return inIdleTurn(() => more(Math.max(step, missing)))
    void nextTask().then(() => more(step))
    return undefined
  }, [device, onScreen, drawn, isGrowing])
  return { drawn, below: (count - drawn) * roomPx[device] }
}

/** Asked for before anything of the table is there: later it would have the page laid out for the answer. */
function sizes() {
  const device = window.matchMedia('(width < 52rem)').matches ? 'phone' : 'sheet'
  return { device, onScreen: Math.ceil((innerHeight - headPx) / rowPx[device]) } as const
}

function atFirst(device: 'phone' | 'sheet', onScreen: number): number {
  if (comesBack()) return Infinity
  return device === 'phone' && isFirstPage() ? step : Math.min(firstRows, onScreen)
}

/** Whether the end of what is drawn is on the screen, or will be soon. */
function isNear(body: Element | null): boolean {
  const room = body?.lastElementChild
  return room !== null && room !== undefined && room.getBoundingClientRect().top < innerHeight * 1.5
}
