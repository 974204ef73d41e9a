/** `/risks/{id}` */
import type { Issue } from '@glacis/contract/issue'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { actionWords, doneWords, offered } from '#issues/actions.ts'
import { HostTable } from '#issues/affected-hosts.tsx'
import { actionIcons } from '#issues/bulk-bar.tsx'
import { cveOf } from '#issues/issue-cells.tsx'
import { type ChosenStatus, one, setStatus } from '#issues/queries.ts'
import { ThreatFigures } from '#issues/threat-figures.tsx'
import { IssueRail } from '#issues/issue-rail.tsx'
import { ThreatText } from '#issues/threat-text.tsx'
import { formatNumber } from '#lib/format.ts'
import { addToast } from '#lib/toasts.ts'
import { Button } from '#ui/button.tsx'
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
  const isPotential = issue.verification === 'VERIFICATION_UNVERIFIED'
  const crumb = isPotential ? 'Potential risks' : 'Verified risks'
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title={issue.name}
        crumbs={<Crumb to={isPotential ? '/risks/potential' : '/risks/verified'}>{crumb}</Crumb>}
        here={cveOf(issue.threat) ?? issue.name}
        actions={<IssueActions issue={issue} />}
      />
      <MetaLine issue={issue} />
      <Detail rail={<IssueRail issue={issue} />}>
        {isPotential && <WhyPotential issue={issue} />}
        <ThreatFigures threat={issue.threat} />
        <HostTable hosts={issue.affectedHosts} />
        <ThreatText threat={issue.threat} />
      </Detail>
    </div>
  )
}

/** The changes offered follow from the status alone. They apply at once: each can be taken back. */
export function IssueActions({ issue }: { readonly issue: Pick<Issue, 'id' | 'status'> }) {
  const change = useMutation(setStatus(useQueryClient()))
  const apply = (status: ChosenStatus) => {
    const onSuccess = () =>
      addToast('success', { title: 'Success', message: `${doneWords[status]} on every affected host.` })
    change.mutate({ id: issue.id, status }, { onSuccess })
  }
  // Resolve stands last, where the primary action of a page stands.
  return offered(issue.status)
    .toReversed()
    .map((status) => (
      <Button
        key={status}
        size="sm"
        variant={status === 'STATUS_RESOLVED' ? 'green' : 'secondary'}
        icon={actionIcons[status]}
        loading={change.isPending && change.variables.status === status}
        disabled={change.isPending}
        onClick={() => apply(status)}
      >
        {actionWords[status]}
      </Button>
    ))
}

function MetaLine({ issue }: { readonly issue: Issue }) {
  const count = issue.affectedHosts.length
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
