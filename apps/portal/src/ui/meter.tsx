import { cx } from '#lib/cx.ts'

/** A usage bar. Changes color above `warnAt`, a share (0.8 by default). The numbers are shown beside it as text. */
export function Meter({
  label,
  value,
  max,
  warnAt = 0.8,
}: {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly warnAt?: number
}) {
  const share = max > 0 ? Math.min(value / max, 1) : 0
  return (
    <div className="relative h-1.5 overflow-hidden rounded-[3px] bg-n5">
      <meter aria-label={label} min={0} max={max} value={value} className="sr-only" />
      <span
        aria-hidden="true"
        style={{ width: `${share * 100}%` }}
        className={cx(
          'block h-full rounded-[3px]',
          share >= 1 ? 'bg-red-mark' : share >= warnAt ? 'bg-orange-mark' : 'bg-accent',
        )}
      />
    </div>
  )
}
