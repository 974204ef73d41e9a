/** The preview panel next to a list of risks. `j` and `k` move through the list. */
import type { AffectedHost, Issue } from '@glacis/contract/issue'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronUp } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { actionLabels, availableActions } from '#issues/actions.ts'
import { actionIcons } from '#issues/bulk-bar.tsx'
import { EvidenceBlock } from '#issues/evidence.tsx'
import { InlineCode } from '#issues/inline-code.tsx'
import { firstCve, hostName } from '#issues/issue-cells.tsx'
import { bestEvidence, type SettableStatus } from '#issues/queries.ts'
import { formatNumber, formatPercent, formatScore } from '#lib/format.ts'
import { Badge } from '#ui/badge.tsx'
import { Button, ButtonLink, IconButton } from '#ui/button.tsx'
import { Fact, Facts } from '#ui/card.tsx'
import { SlideOver } from '#ui/dialog.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { Severity, severityLevel } from '#ui/severity.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { IssueStatus } from '#ui/status.tsx'

interface IssuePreviewProps {
  readonly issues: readonly Issue[]
  /** The previewed issue; undefined closes the panel. */
  readonly id: string | undefined
  readonly onPreview: (id: string | undefined) => void
  readonly onSetStatus: (status: SettableStatus, issue: Issue) => void
  /** Dialogs of a status change, rendered on top of the panel. */
  readonly dialogs: ReactNode
}

const statusByKey: Readonly<Record<string, SettableStatus>> = {
  r: 'STATUS_RESOLVED',
  i: 'STATUS_IGNORED',
  o: 'STATUS_OPEN',
}

export function IssuePreview({ issues, id, onPreview, onSetStatus, dialogs }: IssuePreviewProps) {
  const at = issues.findIndex((issue) => issue.id === id)
  const issue = issues[at]
  const step = (by: number) => issues[at + by] && onPreview(issues[at + by]?.id)
  function press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !issue || !isInPreview(event.target)) return
    const status = statusByKey[event.key]
    if (event.key === 'j') step(1)
    else if (event.key === 'k') step(-1)
    else if (event.key === ' ' && !(event.target as Element).closest('a, button, [tabindex="0"]')) onPreview(undefined)
    else if (status && availableActions(issue.status).includes(status)) onSetStatus(status, issue)
    else return
    event.preventDefault()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles the panel's keyboard shortcuts wherever the focus is inside it
    <div className="contents" onKeyDown={press}>
      <SlideOver
        open={issue !== undefined}
        onClose={() => onPreview(undefined)}
        title={issue?.name ?? ''}
        footer={
          issue && (
            <PreviewFooter
              issue={issue}
              position={`${at + 1} of ${issues.length}`}
              onPrevious={at > 0 ? () => step(-1) : undefined}
              onNext={at < issues.length - 1 ? () => step(1) : undefined}
              onSetStatus={onSetStatus}
            />
          )
        }
      >
        {issue && <PreviewBody issue={issue} />}
        {dialogs}
      </SlideOver>
    </div>
  )
}

function isInPreview(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[role=dialog]')?.querySelector('[data-preview]') !== null
}

interface PreviewFooterProps {
  readonly issue: Issue
  readonly position: string
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
  readonly onSetStatus: IssuePreviewProps['onSetStatus']
}
function PreviewFooter({ issue, position, onPrevious, onNext, onSetStatus }: PreviewFooterProps) {
  return (
    <>
      <span className="mr-auto flex items-center gap-1 text-ink-3">
        <IconButton size="sm" label="Previous risk" icon={<ChevronUp />} disabled={!onPrevious} onClick={onPrevious} />
        <IconButton size="sm" label="Next risk" icon={<ChevronDown />} disabled={!onNext} onClick={onNext} />
        <span className="text-12 tabular-nums" aria-live="polite">
          {position}
        </span>
      </span>
      {availableActions(issue.status)
        .toReversed()
        .map((status) => (
          <Button
            key={status}
            size="sm"
            call="setIssueStatus"
            icon={actionIcons[status]}
            onClick={() => onSetStatus(status, issue)}
          >
            {actionLabels[status]}
          </Button>
        ))}
    </>
  )
}

function PreviewBody({ issue }: { readonly issue: Issue }) {
  const { threat, affectedHosts } = issue
  const cve = firstCve(threat)
  const more = (issue.affectedHostCount ?? affectedHosts.length) - affectedHosts.length
  return (
    <div data-preview className="grid gap-5">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <Severity level={severityLevel(threat.severity.category)} />
        {threat.severity.score > 0 && <span className="tabular-nums">{formatScore(threat.severity.score)}</span>}
        <IssueStatus status={issue.status} />
        {threat.knownExploited && (
          <Badge small variant="red" title="Exploited in the wild (CISA KEV)">
            KEV
          </Badge>
        )}
        {cve && <span className="font-mono text-ink-2">{cve}</span>}
      </p>
      {threat.summary && (
        <p className="whitespace-pre-line text-ink-2 wrap-anywhere">
          <InlineCode text={threat.summary} />
        </p>
      )}
      {threat.impact && (
        <section>
          <h3 className="mb-1 font-semibold">Impact</h3>
          <p className="whitespace-pre-line text-ink-2 wrap-anywhere">
            <InlineCode text={threat.impact} />
          </p>
        </section>
      )}
      {threat.solution?.description && (
        <section>
          <h3 className="mb-1 font-semibold">Remediation</h3>
          <p className="whitespace-pre-line text-ink-2 wrap-anywhere">
            <InlineCode text={threat.solution.description} />
          </p>
        </section>
      )}
      <section>
        <h3 className="mb-1 font-semibold">Affected hosts</h3>
        <ul className="grid gap-1">
          {affectedHosts.map((affectedHost) => (
            <li key={affectedHost.host.id} className="flex items-center gap-3">
              <span className="min-w-0 truncate font-mono" title={hostName(affectedHost)}>
                {hostName(affectedHost)}
              </span>
              <span className="min-w-0 truncate text-12 text-ink-3" title={affectedHost.target.name}>
                {affectedHost.target.name}
              </span>
              <span className="ml-auto flex-none">
                <IssueStatus status={affectedHost.status} />
              </span>
            </li>
          ))}
          {more > 0 && <li className="text-ink-3">and {formatNumber(more)} more</li>}
        </ul>
      </section>
      {affectedHosts[0] && <BestEvidence key={issue.id} issueId={issue.id} affected={affectedHosts[0]} />}
      <Facts>
        {issue.priority !== undefined && <Fact name="Priority">{issue.priority} of 100</Fact>}
        {threat.epss && <Fact name="EPSS">{formatPercent(threat.epss.score)}</Fact>}
        <Fact name="First seen">
          <RelativeTime value={issue.firstSeenTime} />
        </Fact>
        <Fact name="Last seen">
          <RelativeTime value={issue.lastSeenTime} />
        </Fact>
      </Facts>
      <p>
        <ButtonLink to="/risks/$id" params={{ id: issue.id }} size="sm">
          Open risk
        </ButtonLink>
      </p>
    </div>
  )
}

/** The best evidence on the first affected host. */
function BestEvidence({ issueId, affected }: { readonly issueId: string; readonly affected: AffectedHost }) {
  const { data, isError, refetch } = useQuery(bestEvidence(issueId, affected.host.id))
  const best = data?.evidence[0]
  return (
    <section aria-busy={!data && !isError}>
      <h3 className="mb-1 font-semibold">
        Evidence <span className="ml-1 font-mono font-normal text-ink-3 wrap-anywhere">{hostName(affected)}</span>
      </h3>
      {best ? (
        <EvidenceBlock evidence={best} isShort />
      ) : isError ? (
        <p className="text-ink-2">
          The evidence couldn't be loaded.{' '}
          <button type="button" className="inline-link" onClick={() => void refetch()}>
            Try again
          </button>
        </p>
      ) : data ? (
        <p className="text-ink-2">No evidence recorded.</p>
      ) : (
        <Skeleton className="my-3 h-26 w-full" />
      )}
    </section>
  )
}
