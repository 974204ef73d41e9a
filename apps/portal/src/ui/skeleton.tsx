import { useCallback, useState } from 'react'
import { cx } from '#lib/cx.ts'

/** A placeholder bar for text. Set its width with `className`. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden="true" className={cx('block h-2.5 animate-skeleton rounded-[4px] bg-n5', className)} />
}

const widths = ['w-3/5', 'w-2/5', 'w-1/2', 'w-3/4', 'w-1/3']

const priorities = /\bp[1-4]\b/

/**
 * Skeleton rows of a loading table with the same columns as its header, including hidden ones. Rendered in a `tbody`.
 * `columns` is used until the header has been read; passing it avoids a second render.
 */
export function SkeletonRows({ rows = 10, columns }: SkeletonRowsProps) {
  const isKnown = typeof columns !== 'number'
  const [heads, setHeads] = useState<readonly Head[]>(() =>
    isKnown ? columns : Array.from({ length: columns }, () => ({})),
  )
  const readHead = useCallback((row: HTMLTableRowElement | null) => {
    const cells = row?.closest('table')?.querySelectorAll('thead th, thead td') ?? []
    if (cells.length > 0) setHeads(Array.from(cells, headOf))
  }, [])
  const name = heads.findIndex(({ isBox }) => !isBox)
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} ref={row === 0 && !isKnown ? readHead : undefined}>
      {heads.map(({ priority, isBox }, column) => (
        <td key={column} className={cx(priority, column === name ? 'pri' : 'max-md:hidden!')}>
          <Skeleton className={isBox ? 'size-4!' : (widths[(row + column * 2) % widths.length] ?? 'w-1/2')} />
        </td>
      ))}
    </tr>
  ))
}

interface SkeletonRowsProps {
  readonly rows?: number
  readonly columns: number | readonly Head[]
}
interface Head {
  readonly priority?: string | undefined
  /** The column has a checkbox in the header and in each row. */
  readonly isBox?: boolean
}
function headOf(cell: Element): Head {
  return { priority: priorities.exec(cell.className)?.[0], isBox: cell.querySelector('input[type=checkbox]') !== null }
}

/** A loading page: title, description, and lines. Announced once as "Loading". */
export function PageSkeleton() {
  return (
    <div className="px-(--gl-gutter) pt-5">
      <h1 aria-live="polite" className="sr-only">
        Loading
      </h1>
      <div className="flex min-h-9 items-center">
        <Skeleton className="h-3.5 w-40" />
      </div>
      <Skeleton className="mt-2 w-72 max-w-full" />
      <SkeletonLines className="mt-10" />
    </div>
  )
}

/** Placeholders of eight lines of content. */
export function SkeletonLines({ className }: { readonly className?: string }) {
  return (
    <div className={cx('border-t border-line', className)}>
      {Array.from({ length: 8 }, (_, row) => (
        <div key={row} className="flex h-10 items-center border-b border-line">
          <Skeleton className={widths[row % widths.length] ?? 'w-1/2'} />
        </div>
      ))}
    </div>
  )
}
