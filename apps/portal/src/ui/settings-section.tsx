import type { ReactNode } from 'react'
import { cx } from '#lib/cx.ts'

/** A settings section: title and description on the left, controls on the right. */
export function SettingsSection({
  id,
  title,
  description,
  isWide = false,
  children,
}: {
  readonly id: string
  readonly title: string
  readonly description?: string
  /** Contains a table, which moves below the title on wider screens than other controls do. */
  readonly isWide?: boolean
  readonly children: ReactNode
}) {
  return (
    <section
      aria-labelledby={id}
      className={cx(
        'grid grid-cols-[260px_minmax(0,1fr)] gap-x-12 gap-y-3 border-b border-line py-7 last:border-b-0 max-md:grid-cols-1 max-md:py-6 @max-[900px]:gap-x-8 @max-[640px]:grid-cols-1',
        isWide ? '@max-[900px]:grid-cols-1' : '@max-[900px]:grid-cols-[200px_minmax(0,1fr)]',
      )}
    >
      <div>
        <h2 id={id} className="text-14/5 font-semibold tracking-[-.006em]">
          {title}
        </h2>
        {description && <p className="mt-0.5 text-balance text-ink-2">{description}</p>}
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  )
}

/** A bordered list of `SettingsRow`s. */
export function SettingsList({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line">
      {children}
    </ul>
  )
}

/** A row with icon, name, detail, and actions. */
export function SettingsRow({
  icon,
  name,
  detail,
  children,
}: {
  readonly icon?: ReactNode
  readonly name: ReactNode
  readonly detail?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <li className="flex min-h-13.5 flex-wrap items-center gap-x-3 gap-y-2 py-2 pr-3 pl-4 [&_.lucide]:size-4">
      {icon && <span className="text-ink-2">{icon}</span>}
      <div className="min-w-0 flex-[1_1_12rem]">
        <p className="font-medium wrap-anywhere">{name}</p>
        {detail && <p className="text-12 text-ink-2">{detail}</p>}
      </div>
      {children && <span className="ml-auto flex flex-wrap items-center justify-end gap-3">{children}</span>}
    </li>
  )
}

/** Heading of a group of rows. */
export function SettingsHeading({ children }: { readonly children: ReactNode }) {
  return <h3 className="mt-5 mb-1.5 text-12 font-medium text-ink-3 first:mt-0">{children}</h3>
}
