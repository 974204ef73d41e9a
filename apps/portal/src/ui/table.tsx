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
import { registerListKeys } from '#lib/keyboard.ts'
import { actOnRow } from '#lib/row-keys.ts'

/** Columns with the highest priority are hidden first: 4 under 1120 px, 3 under 1040, 2 under 860, 1 under 700. */
export type ColumnPriority = 1 | 2 | 3 | 4
export type ColumnAlign = 'start' | 'end' | 'center'
interface Column {
  readonly priority?: ColumnPriority | undefined
  /** `end` for numbers, `center` for counts. */
  readonly align?: ColumnAlign | undefined
}

interface TableProps extends TableHTMLAttributes<HTMLTableElement> {
  /** Accessible name. */
  readonly label: string
  /** Two-line rows. */
  readonly tall?: boolean
  /** `card`: inside a card, without sticky header. `text`: aligned with surrounding text. */
  readonly fit?: 'sheet' | 'card' | 'text'
}

/**
 * A full-bleed table with a sticky header; a list of labeled values on phones. Cells set `label` for that, and the
 * `primary` cell comes first there.
 */
export function Table({ label, tall = false, fit = 'sheet', className, ...rest }: TableProps) {
  const fits = { sheet: '', card: 'inset', text: 'flush' }
  useEffect(() => registerListKeys(actOnRow), [])
  return <table {...rest} aria-label={label} className={cx('tbl', tall && 'two', fits[fit], className)} />
}

interface HeaderCellProps extends Omit<ThHTMLAttributes<HTMLTableCellElement>, 'align'>, Column {
  /**
   * Column width in pixels; columns without one share the rest. Long secondary text sets a `cqi` width by class
   * instead, so that it shrinks before the name does.
   */
  readonly width?: number
  /** Current sort order, if the table is sorted by this column. */
  readonly sort?: 'ascending' | 'descending' | undefined
  /** Makes the header a button that changes the sort order. */
  readonly onSort?: () => void
}

/** A column header. */
export function HeaderCell({ priority, align, width, sort, onSort, className, children, ...rest }: HeaderCellProps) {
  const arrow = sort && (sort === 'ascending' ? <ArrowUp className="size-3" /> : <ArrowDown className="size-3" />)
  const content = (
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
          {content}
        </button>
      ) : (
        content
      )}
    </th>
  )
}

interface CellProps extends Omit<TdHTMLAttributes<HTMLTableCellElement>, 'align'>, Column {
  /** Column name, shown before numbers in the phone list. */
  readonly label?: string
  /** The row's name: first in the phone list, without a label. */
  readonly primary?: boolean
  /** Muted text. */
  readonly quiet?: boolean
}

/** A table cell. */
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

/** A link that fills its cell. Wrap the row's name in `<span className="ttl">`. */
export const CellLink = createLink(CellAnchor)

/** A name with a second line, both inside one link. */
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
