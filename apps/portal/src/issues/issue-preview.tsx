/** One risk beside its list: enough to decide, and on to the next with `j` and `k`. */
import type { AffectedHost, Issue } from '@glacis/contract/issue'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronUp } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { actionWords, offered } from '#issues/actions.ts'
import { actionIcons } from '#issues/bulk-bar.tsx'
import { EvidenceBlock } from '#issues/evidence.tsx'
import { cveOf, hostName } from '#issues/issue-cells.tsx'
import { bestEvidence, type ChosenStatus } from '#issues/queries.ts'
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
  /** The one on show; undefined closes it. */
  readonly id: string | undefined
  readonly onShow: (id: string | undefined) => void
  readonly onDecide: (status: ChosenStatus, issue: Issue) => void
  /** Dialogs that belong to a decision; they stand above it. */
  readonly dialogs: ReactNode
}

const decideKeys: Readonly<Record<string, ChosenStatus>> = {
  r: 'STATUS_RESOLVED',
  i: 'STATUS_IGNORED',
  o: 'STATUS_OPEN',
}

/** Space opens and closes it. */
export function IssuePreview({ issues, id, onShow, onDecide, dialogs }: IssuePreviewProps) {
  const at = issues.findIndex((issue) => issue.id === id)
  const issue = issues[at]
  const step = (by: number) => issues[at + by] && onShow(issues[at + by]?.id)
  function press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !issue || !isInPreview(event.target)) return
    const status = decideKeys[event.key]
    if (event.key === 'j') step(1)
    else if (event.key === 'k') step(-1)
    else if (event.key === ' ' && !(event.target as Element).closest('a, button, [tabindex="0"]')) onShow(undefined)
    else if (status && offered(issue.status).includes(status)) onDecide(status, issue)
    else return
    event.preventDefault()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- it hears the keys of the panel, wherever the focus is in it
    <div className="contents" onKeyDown={press}>
      <SlideOver
        open={issue !== undefined}
        onClose={() => onShow(undefined)}
        title={issue?.name ?? ''}
        footer={
          issue && (
            <PreviewFoot
              issue={issue}
              place={`${at + 1} of ${issues.length}`}
              onBefore={at > 0 ? () => step(-1) : undefined}
              onNext={at < issues.length - 1 ? () => step(1) : undefined}
              onDecide={onDecide}
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

interface PreviewFootProps {
  readonly issue: Issue
  readonly place: string
  readonly onBefore: (() => void) | undefined
  readonly onNext: (() => void) | undefined
  readonly onDecide: IssuePreviewProps['onDecide']
}
function PreviewFoot({ issue, place, onBefore, onNext, onDecide }: PreviewFootProps) {
  return (
    <>
      <span className="mr-auto flex items-center gap-1 text-ink-3">
        <IconButton size="sm" label="Risk before" icon={<ChevronUp />} disabled={!onBefore} onClick={onBefore} />
        <IconButton size="sm" label="Next risk" icon={<ChevronDown />} disabled={!onNext} onClick={onNext} />
        <span className="text-12 tabular-nums" aria-live="polite">
          {place}
        </span>
      </span>
      {offered(issue.status)
        .toReversed()
        .map((status) => (
          <Button
            key={status}
            size="sm"
            variant={status === 'STATUS_RESOLVED' ? 'green' : 'secondary'}
            icon={actionIcons[status]}
            onClick={() => onDecide(status, issue)}
          >
            {actionWords[status]}
          </Button>
        ))}
    </>
  )
}

function PreviewBody({ issue }: { readonly issue: Issue }) {
  const { threat, affectedHosts } = issue
  const cve = cveOf(threat)
  const more = (issue.affectedHostCount ?? affectedHosts.length) - affectedHosts.length
  return (
    <div data-preview className="grid gap-5">
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <Severity level={severityLevel(threat.severity.category)} />
        {threat.severity.score > 0 && <span className="tabular-nums">{formatScore(threat.severity.score)}</span>}
        <IssueStatus status={issue.status} />
        {threat.knownExploited && (
          <Badge small variant="red" title="Known exploited (CISA)">
            KEV
          </Badge>
        )}
        {cve && <span className="font-mono text-ink-2">{cve}</span>}
      </p>
      {threat.summary && <p className="whitespace-pre-line text-ink-2 wrap-anywhere">{threat.summary}</p>}
      {threat.solution?.description && (
        <section>
          <h3 className="mb-1 font-semibold">Solution</h3>
          <p className="whitespace-pre-line text-ink-2 wrap-anywhere">{threat.solution.description}</p>
        </section>
      )}
      <section>
        <h3 className="mb-1 font-semibold">Affected hosts</h3>
        <ul className="grid gap-1">
          {affectedHosts.map((one) => (
            <li key={one.host.id} className="flex items-center gap-3">
              <span className="min-w-0 truncate font-mono" title={hostName(one)}>
                {hostName(one)}
              </span>
              <span className="min-w-0 truncate text-12 text-ink-3" title={one.target.name}>
                {one.target.name}
              </span>
              <span className="ml-auto flex-none">
                <IssueStatus status={one.status} />
              </span>
            </li>
          ))}
          {more > 0 && <li className="text-ink-3">and {formatNumber(more)} more</li>}
        </ul>
      </section>
      {affectedHosts[0] && <Proof key={issue.id} issueId={issue.id} affected={affectedHosts[0]} />}
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

/** How we know of it: the best proof on the host that stands first, as the page of the risk shows it. */
function Proof({ issueId, affected }: { readonly issueId: string; readonly affected: AffectedHost }) {
  const { data, isError, refetch } = useQuery(bestEvidence(issueId, affected.host.id))
  const proof = data?.evidence[0]
  return (
    <section aria-busy={!data && !isError}>
      <h3 className="mb-1 font-semibold">
        Evidence <span className="ml-1 font-mono font-normal text-ink-3 wrap-anywhere">{hostName(affected)}</span>
      </h3>
      {proof ? (
        <EvidenceBlock evidence={proof} isShort />
      ) : isError ? (
        <p className="text-ink-2">
          The evidence could not be loaded.{' '}
          <button type="button" className="inline-link" onClick={() => void refetch()}>
            Try again
          </button>
        </p>
      ) : data ? (
        <p className="text-ink-2">No evidence was recorded.</p>
      ) : (
        <Skeleton className="my-3 h-26 w-full" />
      )}
    </section>
  )
}
