import { createLink } from '@tanstack/react-router'
import { ArrowDown, ArrowUp } from 'lucide-react'
import {
  type AnchorHTMLAttributes,
  type ReactNode,
  type Ref,
  type TableHTMLAttributes,
  type TdHTMLAttributes,
  type ThHTMLAttributes,
  useEffect,
} from 'react'
import { cx } from '#lib/cx.ts'
import { bringListKeys } from '#lib/keyboard.ts'
import { actOnRow } from '#lib/row-keys.ts'

/** Which columns go first when the sheet narrows: 4 under 1120 px, 3 under 1040, 2 under 860, 1 under 700. */
export type ColumnPriority = 1 | 2 | 3 | 4
export type ColumnAlign = 'start' | 'end' | 'center'
interface Column {
  readonly priority?: ColumnPriority | undefined
  /** `end` is for numbers, `center` for counts. */
  readonly align?: ColumnAlign | undefined
}

interface TableProps extends TableHTMLAttributes<HTMLTableElement> {
  /** What the table is, for those who cannot see the title above it. */
  readonly label: string
  /** Rows of two lines. */
  readonly tall?: boolean
  /** `card`: inside a card, without sticky head. `text`: aligned with the text around it. */
  readonly fit?: 'sheet' | 'card' | 'text'
}

/**
 * A table of the sheet: full bleed, with a sticky head; a list of labelled values on a phone.
 * Every cell names its column (`label`) for that; the cell with `primary` comes first there.
 */
export function Table({ label, tall = false, fit = 'sheet', className, ...rest }: TableProps) {
  const fits = { sheet: '', card: 'inset', text: 'flush' }
  useEffect(() => bringListKeys(actOnRow), [])
  return <table {...rest} aria-label={label} className={cx('tbl', tall && 'two', fits[fit], className)} />
}

interface HeaderCellProps extends Omit<ThHTMLAttributes<HTMLTableCellElement>, 'align'>, Column {
  /**
   * Width of the column in pixels; columns without one share the rest, which is the name's. What is no name and
   * longer than a word has a width of `cqi` in its class instead: it gives way before the name does.
   */
  readonly width?: number
  /** The present order of this column, if the table is sorted by it. */
  readonly sort?: 'ascending' | 'descending' | undefined
  /** Makes the head a button that changes the order. */
  readonly onSort?: () => void
}

/** A head of a column. */
export function HeaderCell({ priority, align, width, sort, onSort, className, children, ...rest }: HeaderCellProps) {
  const arrow = sort && (sort === 'ascending' ? <ArrowUp className="size-3" /> : <ArrowDown className="size-3" />)
  const words = (
    <span className="inline-flex items-center gap-1">
      {children}
      {arrow}
    </span>
  )
  return (
    <th
      scope="col"
      {...rest}
      aria-sort={sort}
      style={width ? { width } : undefined}
      className={cx(columnClass({ priority, align }), className)}
    >
      {onSort ? (
        <button type="button" onClick={onSort} className="h-6 rounded-[4px] hover:text-ink">
          {words}
        </button>
      ) : (
        words
      )}
    </th>
  )
}

interface CellProps extends Omit<TdHTMLAttributes<HTMLTableCellElement>, 'align'>, Column {
  /** The column's name, shown before a number in the phone's list. */
  readonly label?: string
  /** The name of the row: it stands first and alone in the phone's list. */
  readonly primary?: boolean
  /** Secondary text. */
  readonly quiet?: boolean
}

/** A cell. */
export function Cell({ label, primary, quiet, priority, align, className, ...rest }: CellProps) {
  return (
    <td
      {...rest}
      data-label={label}
      className={cx(columnClass({ priority, align }), primary && 'pri', quiet && 'quiet', className)}
    />
  )
}

interface CellAnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly ref?: Ref<HTMLAnchorElement>
}
function CellAnchor({ className, children, ...rest }: CellAnchorProps) {
  return (
    <a {...rest} className={cx('cell', className)}>
      {children}
    </a>
  )
}

/** A link that fills its cell. Wrap the words that name the row in `<span className="ttl">`. */
export const CellLink = createLink(CellAnchor)

/** Name above, address or second line below, as one link fills both. */
export function StackedName({ name, detail }: { readonly name: ReactNode; readonly detail: ReactNode }) {
  return (
    <span className="grid min-w-0">
      <span className="ttl truncate">{name}</span>
      <span className="truncate font-mono text-ink-2">{detail}</span>
    </span>
  )
}

function columnClass({ priority, align }: Column): string {
  const aligns = { start: '', end: 'n', center: 'c' }
  return cx(priority && `p${priority}`, align && aligns[align])
}
