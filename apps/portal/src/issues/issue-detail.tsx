/** `/risks/{id}` */
import type { Issue } from '@glacis/contract/issue'
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useRef } from 'react'
import { AffectedHostTable } from '#issues/affected-hosts.tsx'
import { useCommentFocus } from '#issues/comment-action.ts'
import { IssueNotes } from '#issues/issue-notes.tsx'
import { IssueActions } from '#issues/issue-actions.tsx'
import { firstCve } from '#issues/issue-cells.tsx'
import { detail } from '#issues/queries.ts'
import { ThreatSeverity } from '#issues/threat-severity.tsx'
import { IssueRail } from '#issues/issue-rail.tsx'
import { ThreatDetails, ThreatText } from '#issues/threat-text.tsx'
import { formatNumber } from '#lib/format.ts'
import { Badge } from '#ui/badge.tsx'
import { Detail } from '#ui/card.tsx'
import { Note } from '#ui/note.tsx'
import { Crumb, PageHead } from '#ui/page-head.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { Severity, severityLevel } from '#ui/severity.tsx'
import { IssueStatus } from '#ui/status.tsx'

const route = getRouteApi('/_auth/risks/$id')

export function IssueDetailPage() {
  const { id } = route.useParams()
  const { data } = useSuspenseQuery(detail(id))
  const { issue } = data
  const field = useRef<HTMLTextAreaElement>(null)
  useCommentFocus(field)
  const toComment = useCallback(() => field.current?.focus(), [])
  const isPotential = isUnconfirmed(issue)
  const crumb = isPotential ? 'Potential risks' : 'Verified risks'
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title={issue.name}
        crumbs={<Crumb to={isPotential ? '/risks/potential' : '/risks/verified'}>{crumb}</Crumb>}
        here={firstCve(issue.threat) ?? issue.name}
        actions={<IssueActions issue={issue} onComment={toComment} />}
      />
      <MetaLine issue={issue} />
      <Detail rail={<IssueRail issue={issue} field={field} />}>
        <IssueSections issue={issue} />
      </Detail>
    </div>
  )
}

function isUnconfirmed({ verification }: Issue): boolean {
  return verification === 'VERIFICATION_UNVERIFIED'
}

/** In the order of the reader's questions: what it is, what it leads to, how to fix it, where it is, and how it's scored. */
export function IssueSections({ issue }: { readonly issue: Issue }) {
  return (
    <>
      <IssueNotes issue={issue} />
      {isUnconfirmed(issue) && <PotentialNote issue={issue} />}
      <ThreatText threat={issue.threat} />
      <AffectedHostTable issue={issue} />
      <ThreatDetails threat={issue.threat} />
      <ThreatSeverity threat={issue.threat} />
    </>
  )
}

function MetaLine({ issue }: { readonly issue: Issue }) {
  const count = issue.affectedHostCount ?? issue.affectedHosts.length
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-(--gl-gutter) pt-1.5 text-ink-2">
      <Severity level={severityLevel(issue.threat.severity.category)} />
      <span className="text-ink">
        <IssueStatus status={issue.status} />
      </span>
      {issue.threat.knownExploited && (
        <Badge small variant="red" title="In CISA's catalog of known exploited vulnerabilities (KEV)">
          Exploited in the wild
        </Badge>
      )}
      <span>
        {formatNumber(count)} affected {count === 1 ? 'host' : 'hosts'}
      </span>
      {firstCve(issue.threat) && <span className="font-mono">{firstCve(issue.threat)}</span>}
      <span>
        First seen <RelativeTime value={issue.firstSeenTime} />
      </span>
      <span>
        Last seen <RelativeTime value={issue.lastSeenTime} />
      </span>
    </div>
  )
}

/** Explains why a risk is potential rather than verified. */
function PotentialNote({ issue }: { readonly issue: Issue }) {
  const methods = new Set(issue.affectedHosts.flatMap(({ evidence }) => evidence?.map(({ method }) => method) ?? []))
  return (
    <div className="px-(--gl-gutter) pt-5">
      <Note variant="yellow">
        <p>
          <b className="font-semibold">Not confirmed by a check.</b>{' '}
          {methods.has('package')
            ? 'An installed package lacks the fix that its distribution has published. Whether the weakness can be exploited depends on how the package is used.'
            : methods.has('version')
              ? "The detected version is known to be affected. A fix that was backported without changing the version number can't be detected."
              : "Scan results suggest this threat but don't confirm it."}
          {issue.quality !== undefined &&
            !methods.has('package') &&
            ` Detection quality: ${issue.quality} of 100. Risks with 95 or higher count as verified.`}
        </p>
      </Note>
    </div>
  )
}
