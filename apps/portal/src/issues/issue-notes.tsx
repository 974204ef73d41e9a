/** Notes at the top of a risk: why it is ignored, or that it regressed. */
import { type Issue, ignoreReasonLabels } from '@glacis/contract/issue'
import { formatDate } from '#lib/format.ts'
import { Note } from '#ui/note.tsx'

export function IssueNotes({ issue }: { readonly issue: Issue }) {
  const regression = regressionSummary(issue)
  return (
    <>
      {issue.ignored && (
        <div className="px-(--gl-gutter) pt-5">
          <Note variant="gray">
            <p>
              <b className="font-semibold">{ignoreSummary(issue.ignored)}</b>
            </p>
            {issue.ignored.comment && <p className="whitespace-pre-line wrap-anywhere">{issue.ignored.comment}</p>}
          </Note>
        </div>
      )}
      {regression && (
        <div className="px-(--gl-gutter) pt-5">
          <Note variant="purple">
            <p>
              <b className="font-semibold">Regression.</b> {regression}
            </p>
          </Note>
        </div>
      )}
    </>
  )
}

/** "Accepted risk until 31 Dec 2026, by Nora Ammann." */
export function ignoreSummary({ reason, untilTime, actor }: NonNullable<Issue['ignored']>): string {
  const what = reason ? ignoreReasonLabels[reason] : 'Ignored'
  const until = untilTime ? ` until ${formatDate(untilTime)}` : ''
  return `${what}${until}${actor ? `, by ${actor}` : ''}.`
}

/** Explains a regression: when a scan found the issue again, and who had resolved it. Undefined for other statuses. */
export function regressionSummary({ status, history }: Pick<Issue, 'status' | 'history'>): string | undefined {
  if (status !== 'STATUS_REGRESSION') return undefined
  const at = history.findLastIndex((entry) => entry.status === 'STATUS_REGRESSION')
  const resolved = history.slice(0, Math.max(at, 0)).findLast((entry) => entry.status === 'STATUS_RESOLVED')
  const seen = history[at]
  if (!seen) return 'A scan found it again after it was resolved.'
  const when = `A scan found it again on ${formatDate(seen.timestamp)}`
  if (!resolved) return `${when}.`
  const who = resolved.actor && resolved.actor !== 'scan' ? `${resolved.actor} had resolved it` : 'it had been resolved'
  return `${when}; ${who} on ${formatDate(resolved.timestamp)}.`
}
