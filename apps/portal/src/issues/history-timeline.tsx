/** The status changes of an issue, newest first. */
import type { HistoryEntry } from '@glacis/contract/issue'
import { PencilLine } from 'lucide-react'
import { AbsoluteTime } from '#ui/relative-time.tsx'
import { IssueStatusIcon } from '#ui/status.tsx'

/** The label of each status change, which may be followed by the actor. */
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
      {newestFirst.map((entry, index) => (
        <ChangeEntry
          key={`${entry.timestamp} ${entry.status} ${entry.reason ?? ''}`}
          entry={entry}
          isFirst={index === newestFirst.length - 1}
        />
      ))}
    </ol>
  )
}

interface ChangeEntryProps {
  readonly entry: HistoryEntry
  /** The status didn't change, so the reason is the event, such as an assignment. */
  readonly isNote?: boolean
  /** The oldest entry of its history. */
  readonly isFirst: boolean
}

export function ChangeEntry({ entry, isNote = false, isFirst }: ChangeEntryProps) {
  const { status, timestamp, actor, reason } = entry
  const label = status === 'STATUS_OPEN' && !isFirst ? 'Reopened' : changeLabels[status]
  return (
    <li className="group relative grid grid-cols-[14px_minmax(0,1fr)] gap-x-2.5 pb-3.5 last:pb-0">
      <span className="absolute top-5 bottom-0 left-[6.5px] w-px bg-line-strong group-last:hidden" aria-hidden="true" />
      {isNote ? (
        <PencilLine aria-hidden="true" className="relative mt-[3px] size-3.5 bg-surface text-ink-3" />
      ) : (
        <IssueStatusIcon status={status} className="relative mt-[3px] bg-surface" />
      )}
      <span className="wrap-anywhere">
        {isNote ? reason : label}
        {actor && <span className="text-ink-2"> {actor === 'scan' ? 'by a scan' : `by ${actor}`}</span>}
        <AbsoluteTime value={timestamp} className="block text-12 text-ink-3" />
        {reason && !isNote && <span className="block text-12 wrap-anywhere text-ink-2">{reason}</span>}
      </span>
    </li>
  )
}
