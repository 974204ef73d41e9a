/** The last 90 days of an occurrence as spans of constant status. */
import type { HistoryEntry, IssueStatus } from '@glacis/contract/issue'
import { formatDate } from '#lib/format.ts'

export interface StatusSpan {
  readonly status: IssueStatus | 'absent'
  /** Fraction of the strip, 0 to 1. */
  readonly share: number
  readonly days: number
  /** Epoch milliseconds. */
  readonly from: number
}

const stripDays = 90
const dayMs = 86_400_000

/** Oldest span first. An occurrence is absent before its first entry. `now` is epoch milliseconds. */
export function statusSpans(history: readonly HistoryEntry[], now: number): StatusSpan[] {
  const start = now - stripDays * dayMs
  const changes = history
    .map(({ status, timestamp }) => ({ status, at: Date.parse(timestamp) }))
    .sort((a, b) => a.at - b.at)
  const spans: StatusSpan[] = []
  let status: StatusSpan['status'] = 'absent'
  let from = start
  for (const change of [...changes, { status: undefined, at: now }]) {
    const until = Math.min(now, Math.max(start, change.at))
    if (until > from && change.status !== status) {
      spans.push({ status, share: (until - from) / (now - start), days: Math.round((until - from) / dayMs), from })
      from = until
    }
    status = change.status ?? status
  }
  return spans
}

const statusLabels: Readonly<Record<StatusSpan['status'], string>> = {
  STATUS_OPEN: 'open',
  STATUS_RESOLVED: 'resolved',
  STATUS_IGNORED: 'ignored',
  STATUS_REGRESSION: 'regression',
  absent: 'not present',
}

/** "Not present for 87 days, open since 17 Nov 2026" */
export function stripLabel(all: readonly StatusSpan[]): string {
  const phrases = all.map(({ status, days, from }, index) => {
    if (index === all.length - 1 && index > 0) return `${statusLabels[status]} since ${formatDate(from)}`
    const duration = days === 0 ? 'less than a day' : `${days} ${days === 1 ? 'day' : 'days'}`
    return `${statusLabels[status]} for ${duration}`
  })
  const sentence = phrases.join(', ')
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
