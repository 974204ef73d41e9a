import { cx } from '#lib/cx.ts'

/**
 * How much of something is used. Over `warnAt` (a share, 0.8 by default) it changes colour;
 * the figures stand beside it as text.
 */
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

/** How far something has come; without `value` nobody knows, and it sweeps. */
export function ProgressBar({
  label,
  value,
  max = 1,
}: {
  readonly label: string
  readonly value?: number | undefined
  readonly max?: number
}) {
  const isKnown = value !== undefined && max > 0
  return (
    <div className="relative h-[3px] overflow-hidden rounded-[2px] bg-main-edge">
      <progress aria-label={label} max={max} value={isKnown ? value : undefined} className="sr-only" />
      <span
        aria-hidden="true"
        style={isKnown ? { width: `${Math.min(value / max, 1) * 100}%` } : undefined}
        className={cx('absolute inset-y-0 left-0 rounded-[2px] bg-main-mark', !isKnown && 'w-1/4 animate-sweep')}
      />
    </div>
  )
}
