/** `/risks/{id}` */
import type { Issue } from '@glacis/contract/issue'
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useRef } from 'react'
import { HostTable } from '#issues/affected-hosts.tsx'
import { Banners } from '#issues/banners.tsx'
import { IssueActions } from '#issues/issue-actions.tsx'
import { cveOf } from '#issues/issue-cells.tsx'
import { one } from '#issues/queries.ts'
import { ThreatFigures } from '#issues/threat-figures.tsx'
import { IssueRail } from '#issues/issue-rail.tsx'
import { ThreatText } from '#issues/threat-text.tsx'
import { formatNumber } from '#lib/format.ts'
import { Detail } from '#ui/card.tsx'
import { Note } from '#ui/note.tsx'
import { Crumb, PageHead } from '#ui/page-head.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { Severity, severityLevel } from '#ui/severity.tsx'
import { IssueStatus } from '#ui/status.tsx'

const route = getRouteApi('/_auth/risks/$id')

/** One risk: how bad, where, how we know, what to do. */
export function IssueDetailPage() {
  const { id } = route.useParams()
  const { data } = useSuspenseQuery(one(id))
  const { issue } = data
  const field = useRef<HTMLTextAreaElement>(null)
  const toComment = useCallback(() => field.current?.focus(), [])
  const isPotential = issue.verification === 'VERIFICATION_UNVERIFIED'
  const crumb = isPotential ? 'Potential risks' : 'Verified risks'
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title={issue.name}
        crumbs={<Crumb to={isPotential ? '/risks/potential' : '/risks/verified'}>{crumb}</Crumb>}
        here={cveOf(issue.threat) ?? issue.name}
        actions={<IssueActions issue={issue} onComment={toComment} />}
      />
      <MetaLine issue={issue} />
      <Detail rail={<IssueRail issue={issue} field={field} />}>
        <Banners issue={issue} />
        {isPotential && <WhyPotential issue={issue} />}
        <ThreatFigures threat={issue.threat} />
        <HostTable issue={issue} />
        <ThreatText threat={issue.threat} />
      </Detail>
    </div>
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
      <span>
        {formatNumber(count)} affected {count === 1 ? 'host' : 'hosts'}
      </span>
      {cveOf(issue.threat) && <span className="font-mono">{cveOf(issue.threat)}</span>}
      <span>
        First seen <RelativeTime value={issue.firstSeenTime} />
      </span>
      <span>
        Last seen <RelativeTime value={issue.lastSeenTime} />
      </span>
    </div>
  )
}

/** Why this is potential and not verified, and what would change that. */
function WhyPotential({ issue }: { readonly issue: Issue }) {
  const byVersion = issue.affectedHosts.some(({ evidence }) => evidence?.some(({ method }) => method === 'version'))
  return (
    <div className="px-(--gl-gutter) pt-5">
      <Note variant="yellow">
        <p>
          <b className="font-semibold">Not confirmed by a check.</b>{' '}
          {byVersion
            ? 'The version that was recognised is one that this threat is known for. A fix that keeps the version number would not be seen.'
            : 'What was seen points to this threat without proving it.'}
          {issue.quality !== undefined &&
            ` Quality of detection: ${issue.quality} of 100; from 95 a risk counts as verified.`}
        </p>
      </Note>
    </div>
  )
}
