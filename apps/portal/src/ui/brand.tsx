import { cx } from '#lib/cx.ts'

/** The logo: a slope and the line of sight along it. */
function Mark({ className }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className={cx('size-[22px] text-accent', className)}>
      <path d="M1.5 20.5 12.6 9.4H22.5v11.1z" fill="currentColor" />
      <path d="M2.6 13.4 12.5 3.5H22.5" fill="none" stroke="currentColor" strokeWidth="2.1" strokeLinejoin="miter" />
    </svg>
  )
}

/** Logo and name; `short` shows the logo only. */
export function Brand({ short = false }: { readonly short?: boolean }) {
  return (
    <span className="flex items-center gap-2.5 text-[15px]/5 font-semibold tracking-[-.015em]">
      <Mark />
      {!short && <span>Glacis</span>}
    </span>
  )
}
