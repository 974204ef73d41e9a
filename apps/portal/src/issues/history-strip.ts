/** The last 90 days of an occurrence as stretches of one status each. */
import type { HistoryEntry, IssueStatus } from '@glacis/contract/issue'
import { formatDate } from '#lib/format.ts'

export interface Stretch {
  readonly status: IssueStatus | 'absent'
  /** Part of the strip, 0 to 1. */
  readonly share: number
  readonly days: number
  /** Epoch milliseconds. */
  readonly from: number
}

const stripDays = 90
const dayMs = 86_400_000

/** Oldest stretch first; before its first entry an occurrence was absent. `now` is epoch milliseconds. */
export function stretches(history: readonly HistoryEntry[], now: number): Stretch[] {
  const start = now - stripDays * dayMs
  const changes = history
    .map(({ status, timestamp }) => ({ status, at: Date.parse(timestamp) }))
    .sort((a, b) => a.at - b.at)
  const found: Stretch[] = []
  let status: Stretch['status'] = 'absent'
  let from = start
  for (const change of [...changes, { status: undefined, at: now }]) {
    const until = Math.min(now, Math.max(start, change.at))
    if (until > from && change.status !== status) {
      found.push({ status, share: (until - from) / (now - start), days: Math.round((until - from) / dayMs), from })
      from = until
    }
    status = change.status ?? status
  }
  return found
}

const words: Readonly<Record<Stretch['status'], string>> = {
  STATUS_OPEN: 'open',
  STATUS_RESOLVED: 'resolved',
  STATUS_IGNORED: 'ignored',
  STATUS_REGRESSION: 'regression',
  absent: 'not present',
}

/** "Not present for 87 days, open since 17 Nov 2026" */
export function stripLabel(all: readonly Stretch[]): string {
  const said = all.map(({ status, days, from }, index) => {
    if (index === all.length - 1 && index > 0) return `${words[status]} since ${formatDate(from)}`
    return `${words[status]} for ${days} ${days === 1 ? 'day' : 'days'}`
  })
  const sentence = said.join(', ')
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
