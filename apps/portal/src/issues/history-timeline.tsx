/** The status changes of an issue, newest first. */
import type { HistoryEntry } from '@glacis/contract/issue'
import { AbsoluteTime } from '#ui/relative-time.tsx'
import { IssueStatusIcon } from '#ui/status.tsx'

/** The change to each status, which may be followed by who made it. */
const changeLabels: Readonly<Record<HistoryEntry['status'], string>> = {
  STATUS_OPEN: 'Opened',
  STATUS_RESOLVED: 'Resolved',
  STATUS_IGNORED: 'Ignored',
  STATUS_REGRESSION: 'Regressed',
}

export function HistoryTimeline({ history }: { readonly history: readonly HistoryEntry[] }) {
  const newestFirst = [...history].sort((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp))
  if (newestFirst.length === 0) return <p className="text-ink-3">No changes yet.</p>
  return (
    <ol>
      {newestFirst.map((entry) => (
        <ChangeEntry key={`${entry.timestamp} ${entry.status} ${entry.reason ?? ''}`} entry={entry} />
      ))}
    </ol>
  )
}

export function ChangeEntry({ entry: { status, timestamp, actor, reason } }: { readonly entry: HistoryEntry }) {
  return (
    <li className="group relative grid grid-cols-[14px_minmax(0,1fr)] gap-x-2.5 pb-3.5 last:pb-0">
      <span className="absolute top-5 bottom-0 left-[6.5px] w-px bg-line-strong group-last:hidden" aria-hidden="true" />
      <IssueStatusIcon status={status} className="relative mt-[3px] bg-surface" />
      <span>
        {changeLabels[status]}
        {actor && <span className="text-ink-2"> {actor === 'scan' ? 'by a scan' : `by ${actor}`}</span>}
        <AbsoluteTime value={timestamp} className="block text-12 text-ink-3" />
        {reason && <span className="block text-12 wrap-anywhere text-ink-2">{reason}</span>}
      </span>
    </li>
  )
}
