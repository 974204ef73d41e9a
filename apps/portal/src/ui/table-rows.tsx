/** The body of a table of any length. */
import {
  type HTMLAttributes,
  memo,
  type ReactNode,
  type RefObject,
  startTransition,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { useGrowingRows } from '#ui/growing-rows.ts'
import { useRowFocus } from '#ui/row-focus.ts'
import { covers, drawnMax, type Heights, heightsOf, measure, type RowWindow, windowAt } from '#lib/row-window.ts'

/** Rows drawn beyond what is in sight: where the page is moving to, and where it comes from. */
const aheadMax = 14
const behindMax = 4
/** Rows drawn at a time: few, so that no single frame has much to do. */
const step = 3
/** Height of a row that nobody has measured yet, in pixels: `--gl-row`. */
const estimate = 40
const rowIndex = 'aria-rowindex'

interface TableRowsProps<Item> extends Omit<HTMLAttributes<HTMLTableSectionElement>, 'children'> {
  /** Undefined while they are on their way. */
  readonly items: readonly Item[] | undefined
  /** What stands there meanwhile. */
  readonly skeleton: ReactNode
  readonly idOf: (item: Item) => string
  /**
   * What rows are drawn from besides their item, always as many: while all of it stays, a row whose item stays is not
   * drawn again. Without it every row is, whenever the page around it is.
   */
  readonly drawnFrom?: readonly unknown[]
  /** One `tr`. It carries `place`, which tells a reader where in a long table it stands. */
  readonly children: (item: Item, place: RowPlace) => ReactNode
}
export interface RowPlace {
  readonly 'aria-rowindex'?: number
}

/** What a table of this many rows says of its length, its head counted: browsers see only the rows that are drawn. */
export function lengthOf(rows: readonly unknown[] | undefined): { readonly 'aria-rowcount'?: number } {
  return rows && rows.length > drawnMax ? { 'aria-rowcount': rows.length + 1 } : {}
}

/**
 * The rows of a table. Of a long one only those in sight are drawn, and the room of the others is
 * kept: keys, focus and selection work as in a short one, which begins with what is in sight and is whole soon
 * after. All of them are drawn for paper.
 */
export function TableRows<Item>({ items, skeleton, idOf, drawnFrom, children, ...rest }: TableRowsProps<Item>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const count = items?.length ?? 0
  const drawn = useRowWindow(body, count)
  const growing = useGrowingRows(body, count > drawnMax ? 0 : count)
  const draw = useKept(children, drawnFrom)
  const upTo = count > drawnMax ? count : growing.drawn
  const focus = useRowFocus(body)
  return (
    <tbody {...rest} {...focus} ref={body}>
      {items === undefined && skeleton}
      {!drawn && items?.slice(0, upTo).map((item) => <Slot key={idOf(item)} item={item} row={undefined} draw={draw} />)}
      {!drawn && <Room height={growing.below} />}
      {drawn?.runs.map(({ from, to, above }) => [
        <Room key={`above ${from}`} height={above} />,
        ...(items ?? [])
          .slice(from, to)
          .map((item, index) => <Slot key={idOf(item)} item={item} row={from + index} draw={draw} />),
      ])}
      {drawn && <Room height={drawn.below} />}
    </tbody>
  )
}

/** What was given before, while all that it was made from stays; without knowing that, what is given. */
function useKept<Made>(made: Made, from: readonly unknown[] | undefined): Made {
  const [kept, keep] = useState({ made, from })
  const isSame = from?.every((value, index) => Object.is(value, kept.from?.[index])) ?? false
  if (from && !isSame) keep({ made, from })
  return isSame ? kept.made : made
}

interface SlotProps<Item> {
  readonly item: Item
  readonly row: number | undefined
  readonly draw: (item: Item, place: RowPlace) => ReactNode
}
/** While the page moves, rows that stay are not drawn again. The head is row 1 of the table. */
const Slot = memo(function Slot<Item>({ item, row, draw }: SlotProps<Item>) {
  return draw(item, row === undefined ? {} : { [rowIndex]: row + 2 })
}) as <Item>(props: SlotProps<Item>) => ReactNode

/** The room of rows that are not drawn. */
function Room({ height }: { readonly height: number }) {
  if (height === 0) return null
  return <tr aria-hidden="true" className="room" style={{ height }} />
}

/** What is drawn of `count` rows; undefined when all are. */
function useRowWindow(body: RefObject<HTMLTableSectionElement | null>, count: number): RowWindow | undefined {
  const isLong = count > drawnMax
  const [drawn, setDrawn] = useState<RowWindow>()
  const shown = useRef<RowWindow>(undefined)
  const [isOnPaper, setIsOnPaper] = useState(false)
  useLayoutEffect(() => {
    shown.current = drawn
  }, [drawn])
  useLayoutEffect(() => {
    if (!isLong) return
    const { look, restart } = lookout(body, count, () => shown.current, setDrawn)
    // The browser prints what stands there when the event ends.
    const print = (isPrinting: boolean) => () => flushSync(() => setIsOnPaper(isPrinting))
    const stop = new AbortController()
    const { signal } = stop
    look()
    document.addEventListener('scroll', look, { capture: true, passive: true, signal })
    addEventListener('resize', restart, { signal })
    addEventListener('beforeprint', print(true), { signal })
    addEventListener('afterprint', print(false), { signal })
    return () => stop.abort()
  }, [body, count, isLong])
  if (!isLong || isOnPaper) return undefined
  const isOfThese = drawn && (drawn.runs.at(-1)?.to ?? 0) <= count
  return isOfThese ? drawn : windowAt(heightsOf(count), { top: 0, bottom: 900, beyond: [0, aheadMax], estimate })
}

/** Follows what is in sight, and says what to draw: in good time without holding up the page, at once where it is late. */
function lookout(
  body: RefObject<HTMLTableSectionElement | null>,
  count: number,
  shown: () => RowWindow | undefined,
  draw: (window: RowWindow) => void,
) {
  let heights = heightsOf(count)
  let asked: RowWindow | undefined
  let measured: RowWindow | undefined
  let topBefore = 0
  const look = () => {
    const table = body.current
    if (!table) return
    const now = shown()
    if (measured !== now) measureDrawn(table, heights)
    measured = now
    const top = -table.getBoundingClientRect().top
    const isUp = top < topBefore
    topBefore = top
    const at = (behind: number, ahead: number) => {
      const beyond = isUp ? ([ahead, behind] as const) : ([behind, ahead] as const)
      return windowAt(heights, { top, bottom: top + innerHeight, held: heldIn(table), beyond, estimate })
    }
    const isLate = !asked || !now || !covers(now, at(0, 0))
    if (!isLate && (asked !== now || covers(now, at(0, aheadMax - step)))) return
    const next = (asked = at(behindMax, aheadMax))
    if (isLate) draw(next)
    else startTransition(() => draw(next))
  }
  /** Rows fold differently in another width, and what was measured is of no use then. */
  const restart = () => {
    heights = heightsOf(count)
    asked = measured = undefined
    look()
  }
  return { look, restart }
}

function measureDrawn(table: HTMLTableSectionElement, heights: Heights): void {
  for (const row of table.querySelectorAll(`[${rowIndex}]`)) {
    const place = Number(row.getAttribute(rowIndex))
    if (place > 0) measure(heights, place - 2, row.getBoundingClientRect().height)
  }
}

/** Rows that somebody works in: what has the focus, and what has a menu open. */
function heldIn(table: HTMLTableSectionElement): readonly number[] {
  const busy = [...table.querySelectorAll('[aria-expanded="true"]')]
  if (table.contains(document.activeElement) && document.activeElement) busy.push(document.activeElement)
  return busy.flatMap((element) => {
    const place = Number(element.closest('tr')?.getAttribute(rowIndex))
    return place > 0 ? [place - 2] : []
  })
}
