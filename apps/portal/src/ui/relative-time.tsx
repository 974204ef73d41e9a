import { useNow } from '#lib/clock.ts'
import { formatDateTime, formatDateTimeSeconds, formatRelativeTime, formatSince } from '#lib/format.ts'

/** Time since an event, kept up to date; the absolute time is in the tooltip and the `datetime` attribute. */
export function RelativeTime({ value, className }: { readonly value: string; readonly className?: string }) {
  const now = useNow()
  return (
    <time dateTime={value} title={formatDateTime(value)} className={className}>
      {formatSince(value, now)}
    </time>
  )
}

/** Time until an event; overdue events are "due now". */
export function TimeUntil({ value, className }: { readonly value: string; readonly className?: string }) {
  const now = useNow()
  const isDue = Date.parse(value) <= now
  return (
    <time dateTime={value} title={formatDateTime(value)} className={className}>
      {isDue ? 'due now' : formatRelativeTime(value, now)}
    </time>
  )
}

/** The absolute time, for side rails; tables use relative time. */
export function AbsoluteTime({
  value,
  className,
  seconds = false,
}: {
  readonly value: string
  readonly className?: string
  readonly seconds?: boolean
}) {
  return (
    <time dateTime={value} className={className}>
      {seconds ? formatDateTimeSeconds(value) : formatDateTime(value)}
    </time>
  )
}
