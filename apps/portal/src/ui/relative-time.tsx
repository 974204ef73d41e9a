import { useNow } from '#lib/clock.ts'
import { formatDateTime, formatRelativeTime, formatSince } from '#lib/format.ts'

/** How long ago something was, kept fresh; the absolute time is in the tooltip and for machines. */
export function RelativeTime({ value, className }: { readonly value: string; readonly className?: string }) {
  const now = useNow()
  return (
    <time dateTime={value} title={formatDateTime(value)} className={className}>
      {formatSince(value, now)}
    </time>
  )
}

/** How soon something is due; what is overdue is due now. */
export function AheadTime({ value, className }: { readonly value: string; readonly className?: string }) {
  const now = useNow()
  const isDue = Date.parse(value) <= now
  return (
    <time dateTime={value} title={formatDateTime(value)} className={className}>
      {isDue ? 'due now' : formatRelativeTime(value, now)}
    </time>
  )
}

/** The absolute time: rails use it, tables the relative one. */
export function AbsoluteTime({ value, className }: { readonly value: string; readonly className?: string }) {
  return (
    <time dateTime={value} className={className}>
      {formatDateTime(value)}
    </time>
  )
}
