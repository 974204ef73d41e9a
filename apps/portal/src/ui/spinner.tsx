import { cx } from '#lib/cx.ts'

/** A turning ring. It says nothing by itself: whoever shows it sets `aria-busy` or a label. */
export function Spinner({ className }: { readonly className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cx(
        'inline-block size-3.5 flex-none animate-spin rounded-full border-2 border-current/25 border-t-current',
        className,
      )}
    />
  )
}
