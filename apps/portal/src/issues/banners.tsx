/** What is worth knowing before anything else: that it was accepted, or that it came back. */
import type { Issue } from '@glacis/contract/issue'
import { reasonWords } from '#issues/ignore-dialog.tsx'
import { formatDate } from '#lib/format.ts'
import { Note } from '#ui/note.tsx'

export function Banners({ issue }: { readonly issue: Issue }) {
  const regression = regressionWords(issue)
  return (
    <>
      {issue.ignored && (
        <div className="px-(--gl-gutter) pt-5">
          <Note variant="gray">
            <p>
              <b className="font-semibold">{ignoredWords(issue.ignored)}</b>
            </p>
            {issue.ignored.comment && <p className="whitespace-pre-line wrap-anywhere">{issue.ignored.comment}</p>}
          </Note>
        </div>
      )}
      {regression && (
        <div className="px-(--gl-gutter) pt-5">
          <Note variant="purple">
            <p>
              <b className="font-semibold">It came back.</b> {regression}
            </p>
          </Note>
        </div>
      )}
    </>
  )
}

/** "Accepted risk until 31 Dec 2026, by Nora Ammann." */
export function ignoredWords({ reason, untilTime, actor }: NonNullable<Issue['ignored']>): string {
  const what = reason ? reasonWords[reason] : 'Ignored'
  const until = untilTime ? ` until ${formatDate(untilTime)}` : ''
  return `${what}${until}${actor ? `, by ${actor}` : ''}.`
}

/** Who had resolved it, and when a scan saw it again. */
export function regressionWords({ status, history }: Pick<Issue, 'status' | 'history'>): string | undefined {
  if (status !== 'STATUS_REGRESSION') return undefined
  const at = history.findLastIndex((entry) => entry.status === 'STATUS_REGRESSION')
  const resolved = history.slice(0, Math.max(at, 0)).findLast((entry) => entry.status === 'STATUS_RESOLVED')
  const seen = history[at]
  if (!seen) return 'A scan has seen it again after it had been resolved.'
  const when = `A scan has seen it again on ${formatDate(seen.timestamp)}`
  if (!resolved) return `${when}.`
  const who = resolved.actor && resolved.actor !== 'scan' ? `${resolved.actor} had resolved it` : 'it had been resolved'
  return `${when}; ${who} on ${formatDate(resolved.timestamp)}.`
}
