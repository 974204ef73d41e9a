import type { ReactNode } from 'react'
import { cx } from '#lib/cx.ts'

/** A framed, titled group for settings and name/value rows. Main content doesn't need a card. */
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

/** Name/value rows. Children are `Fact`s. */
export function Facts({ className, children }: { readonly className?: string; readonly children: ReactNode }) {
  return <dl className={cx('[&>div:last-child]:border-b-0', className)}>{children}</dl>
}

/** A name/value row. `editable` makes it taller, for a control in or beside the value. */
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

/** A section heading with an optional link on the right. */
export function SectionHead({ title, children }: { readonly title: ReactNode; readonly children?: ReactNode }) {
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-1">
      <h2 className="mr-auto text-14/5 font-semibold tracking-[-.006em]">{title}</h2>
      {children && <div className="flex flex-wrap items-center gap-2 text-ink-2">{children}</div>}
    </div>
  )
}

/** Main column and side rail of a detail page. `tabbed` if tabs already draw the line above. */
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

/** A section in a detail page's main column. */
export function Block({ title, children }: { readonly title?: ReactNode; readonly children: ReactNode }) {
  return (
    <section className="blk">
      {title && <h2>{title}</h2>}
      {children}
    </section>
  )
}
