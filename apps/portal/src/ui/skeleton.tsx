import { cx } from '#lib/cx.ts'

/** A bar where a text will stand. Give it the text's width. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden="true" className={cx('block h-2.5 animate-skeleton rounded-[4px] bg-n5', className)} />
}

const widths = ['w-3/5', 'w-2/5', 'w-1/2', 'w-3/4', 'w-1/3']

/** Rows of a table that is on its way, in its own geometry. They stand in a `tbody`. */
export function SkeletonRows({ rows = 10, columns }: { readonly rows?: number; readonly columns: number }) {
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row}>
      {Array.from({ length: columns }, (__, column) => (
        <td key={column} className={column === 0 ? 'pri' : undefined}>
          <Skeleton className={widths[(row + column * 2) % widths.length] ?? 'w-1/2'} />
        </td>
      ))}
    </tr>
  ))
}

/** A page that is on its way: title, description and lines. Read out once as "Loading". */
export function PageSkeleton() {
  return (
    <div className="px-(--gl-gutter) pt-5">
      <output className="sr-only">Loading</output>
      <div className="flex min-h-9 items-center">
        <Skeleton className="h-3.5 w-40" />
      </div>
      <Skeleton className="mt-2 w-72 max-w-full" />
      <div className="mt-10 border-t border-line">
        {Array.from({ length: 8 }, (_, row) => (
          <div key={row} className="flex h-10 items-center border-b border-line">
            <Skeleton className={widths[row % widths.length] ?? 'w-1/2'} />
          </div>
        ))}
      </div>
    </div>
  )
}
