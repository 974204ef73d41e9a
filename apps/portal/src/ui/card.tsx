import type { ReactNode } from 'react'
import { cx } from '#lib/cx.ts'

/** A framed group with a title: settings lists and name/value rows. Main content needs no card. */
export function Card({
  title,
  actions,
  className,
  children,
}: {
  readonly title?: ReactNode
  readonly actions?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}) {
  return (
    <section className={cx('min-w-0 rounded-lg border border-line bg-surface', className)}>
      {title && (
        <header className="flex min-h-11 items-center gap-2 border-b border-line px-4 py-2">
          <h3 className="text-13 font-semibold">{title}</h3>
          {actions && <div className="ml-auto flex items-center gap-2">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  )
}

/** Rows of a name and a value. Children are `Fact`s. */
export function Facts({ className, children }: { readonly className?: string; readonly children: ReactNode }) {
  return <dl className={cx('[&>div:last-child]:border-b-0', className)}>{children}</dl>
}

/** One name and its value. `editable`: what changes it stands beside the value, or is the value, and is taller than a line. */
export function Fact({
  name,
  editable = false,
  children,
}: {
  readonly name: ReactNode
  readonly editable?: boolean
  readonly children: ReactNode
}) {
  return (
    <div
      className={cx(
        'grid min-h-[37px] grid-cols-[minmax(104px,34%)_minmax(0,1fr)] border-b border-line',
        editable ? 'items-center py-1' : 'py-2',
      )}
    >
      <dt className="pr-3 text-ink-3">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}

/** A heading inside a page, with a way to more at its right. */
export function SectionHead({ title, children }: { readonly title: ReactNode; readonly children?: ReactNode }) {
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-1">
      <h2 className="mr-auto text-14/5 font-semibold tracking-[-.006em]">{title}</h2>
      {children && <div className="flex flex-wrap items-center gap-2 text-ink-2">{children}</div>}
    </div>
  )
}

/** The main column of a detail page and its rail, ruled apart. `tabbed` when tabs already drew the line above. */
export function Detail({
  rail,
  tabbed = false,
  children,
}: {
  readonly rail: ReactNode
  readonly tabbed?: boolean
  readonly children: ReactNode
}) {
  return (
    <div className={cx('detail', tabbed && 'tabbed')}>
      <div className="col-main">{children}</div>
      <aside aria-label="Details" className="rail space-y-6">
        {rail}
      </aside>
    </div>
  )
}

/** One section of a detail page's main column. */
export function Block({ title, children }: { readonly title?: ReactNode; readonly children: ReactNode }) {
  return (
    <section className="blk">
      {title && <h2>{title}</h2>}
      {children}
    </section>
  )
}
