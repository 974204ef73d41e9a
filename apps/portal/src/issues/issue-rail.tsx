/** The side column of a risk: references, details, and history. */
import type { Issue } from '@glacis/contract/issue'
import type { Reference } from '@glacis/contract/threat'
import { ArrowUpRight } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import { Discussion } from '#issues/discussion.tsx'
import { IssueTags } from '#issues/issue-tags.tsx'
import { Ownership } from '#issues/ownership.tsx'
import { priorityFactors } from '#issues/priority.ts'
import { Fact, Facts } from '#ui/card.tsx'
import { AbsoluteTime } from '#ui/relative-time.tsx'
import { IssueStatus } from '#ui/status.tsx'

interface IssueRailProps {
  readonly issue: Issue
  /** The comment field, for the keyboard shortcut that focuses it. */
  readonly field: RefObject<HTMLTextAreaElement | null>
}
export function IssueRail({ issue, field }: IssueRailProps) {
  const { references } = issue.threat
  return (
    <>
      {references.length > 0 && (
        <section>
          <h2>References</h2>
          <ul className="grid gap-1.5">
            {references.map((reference) => (
              <li
                key={'cve' in reference ? reference.cve : reference.url}
                className="flex min-w-0 items-center gap-1.5"
              >
                <ReferenceLink reference={reference} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>Details</h2>
        <Facts>
          <Fact name="Status">
            <IssueStatus status={issue.status} />
          </Fact>
          {issue.verification && (
            <Fact name="Verification">{issue.verification === 'VERIFICATION_VERIFIED' ? 'Verified' : 'Potential'}</Fact>
          )}
          {issue.quality !== undefined && <Fact name="Detection quality">{issue.quality} of 100</Fact>}
          {issue.priority !== undefined && (
            <Fact name="Priority">
              {issue.priority} of 100
              <PriorityBreakdown issue={issue} />
            </Fact>
          )}
          <TimeFact name="First seen" time={issue.firstSeenTime} />
          <TimeFact name="Last seen" time={issue.lastSeenTime} />
          {issue.resolveTime && <TimeFact name="Resolved" time={issue.resolveTime} />}
          {issue.ignoreTime && <TimeFact name="Ignored" time={issue.ignoreTime} />}
          <Ownership issue={issue} />
          <IssueTags issue={issue} />
        </Facts>
      </section>
      <section>
        <h2>History</h2>
        <Discussion issue={issue} field={field} />
      </section>
    </>
  )
}

/** How the priority was calculated: each step with its intermediate result. */
function PriorityBreakdown({ issue }: { readonly issue: Issue }) {
  const parts = issue.priorityParts ?? []
  if (parts.length === 0) return <span className="block text-12 text-ink-3">{priorityFactors(issue)}</span>
  return (
    <ol aria-label="How the priority is calculated" className="mt-1 grid gap-0.5 text-12 text-ink-2">
      {parts.map(({ label, value }, index) => (
        <li key={label} className="flex justify-between gap-3">
          <span className="min-w-0">{label}</span>
          <span className="flex-none tabular-nums">
            {/* An arrow rather than a plus: each step shows the resulting priority, not an amount to add. */}
            {index > 0 && <span aria-hidden="true">→ </span>}
            {value}
          </span>
        </li>
      ))}
    </ol>
  )
}

function TimeFact({ name, time }: { readonly name: string; readonly time: string }) {
  return (
    <Fact name={name}>
      <AbsoluteTime value={time} className="tabular-nums" />
    </Fact>
  )
}

/** References come from feeds: only http(s) URLs become links, and without a referrer. */
function ReferenceLink({ reference }: { readonly reference: Reference }) {
  if ('cve' in reference) {
    const address = `https://www.cve.org/CVERecord?id=${encodeURIComponent(reference.cve)}`
    return (
      <ExternalLink address={address}>
        <span className="font-mono">{reference.cve}</span>
      </ExternalLink>
    )
  }
  if (!/^https?:\/\//i.test(reference.url)) return <span className="truncate text-ink-2">{reference.url}</span>
  return <ExternalLink address={reference.url}>{reference.url.replace(/^https?:\/\//i, '')}</ExternalLink>
}

function ExternalLink({ address, children }: { readonly address: string; readonly children: ReactNode }) {
  return (
    <>
      <a href={address} target="_blank" rel="noopener noreferrer" className="inline-link truncate" title={address}>
        {children}
      </a>
      <ArrowUpRight className="size-3.5 text-ink-3" aria-hidden="true" />
      <span className="sr-only">(opens in a new tab)</span>
    </>
  )
}
