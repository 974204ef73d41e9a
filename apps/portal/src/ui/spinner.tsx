import { cx } from '#lib/cx.ts'

/** A spinner. Silent for screen readers: set `aria-busy` or a label where it is used. */
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
