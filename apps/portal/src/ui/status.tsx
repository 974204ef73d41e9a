import type { AgentStatus as AgentStatuses } from '@glacis/contract/agent'
import type { IssueStatus as IssueStatusValue } from '@glacis/contract/issue'
import type { ScanStatus as ScanStatusValue } from '@glacis/contract/scan'
import type { ReactNode } from 'react'
import type { z } from 'zod/mini'
import { cx } from '#lib/cx.ts'

type AgentStatusValue = z.infer<typeof AgentStatuses>
interface Appearance {
  readonly word: string
  readonly color: string
  readonly shape: ReactNode
}

const ring = <circle cx="7" cy="7" r="5.6" fill="none" stroke="currentColor" strokeWidth="1.6" />
const slashed = (
  <>
    {ring}
    <path d="M3.3 10.7l7.4-7.4" stroke="currentColor" strokeWidth="1.6" />
  </>
)
const check = (
  <>
    <circle cx="7" cy="7" r="6.4" fill="currentColor" />
    <path
      d="m4.3 7.2 1.9 1.9 3.6-3.9"
      fill="none"
      stroke="var(--gl-surface)"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </>
)
const open = (
  <>
    {ring}
    <circle cx="7" cy="7" r="2.2" fill="currentColor" />
  </>
)
const back = (
  <g fill="none" stroke="currentColor" strokeWidth="1.7" strokeLinecap="round" strokeLinejoin="round">
    <path d="M2.2 4.6A5.6 5.6 0 1 1 1.4 7" />
    <path d="M1.5 1.5v3.6h3.6" />
  </g>
)
const dashed = (
  <circle cx="7" cy="7" r="5.6" fill="none" stroke="currentColor" strokeWidth="1.6" strokeDasharray="2.2 2.2" />
)
const spinner = (
  <g className="origin-center animate-spin">
    <circle cx="7" cy="7" r="5.6" fill="none" stroke="var(--gl-main-edge)" strokeWidth="1.8" />
    <path d="M7 1.4A5.6 5.6 0 0 1 12.6 7" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
  </g>
)
const failed = (
  <>
    <path d="M4.6.8h4.8l3.8 3.8v4.8l-3.8 3.8H4.6L.8 9.4V4.6z" fill="currentColor" />
    <path d="m4.9 4.9 4.2 4.2m0-4.2L4.9 9.1" stroke="var(--gl-surface)" strokeWidth="1.6" strokeLinecap="round" />
  </>
)
const connected = (
  <>
    <circle cx="7" cy="7" r="4" fill="currentColor" />
    <circle cx="7" cy="7" r="6" fill="none" stroke="currentColor" strokeWidth="1.2" opacity=".4" />
  </>
)
const disconnected = (
  <g fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round">
    <circle cx="7" cy="7" r="4" />
    <path d="M2 12 12 2" />
  </g>
)

const issueAppearances: Readonly<Record<IssueStatusValue, Appearance>> = {
  STATUS_OPEN: { word: 'Open', color: 'text-open', shape: open },
  STATUS_RESOLVED: { word: 'Resolved', color: 'text-resolved', shape: check },
  STATUS_IGNORED: { word: 'Ignored', color: 'text-ignored', shape: slashed },
  STATUS_REGRESSION: { word: 'Regressed', color: 'text-regression', shape: back },
}
const scanAppearances: Readonly<Record<ScanStatusValue, Appearance>> = {
  STATUS_CREATED: { word: 'Created', color: 'text-gray-mark', shape: dashed },
  STATUS_RUNNING: { word: 'Running', color: 'text-main-mark', shape: spinner },
  STATUS_COMPLETED: { word: 'Completed', color: 'text-green-mark', shape: check },
  STATUS_CANCELLED: { word: 'Canceled', color: 'text-gray-mark', shape: slashed },
  STATUS_FAILED: { word: 'Failed', color: 'text-red-mark', shape: failed },
}
const agentAppearances: Readonly<Record<AgentStatusValue, Appearance>> = {
  STATUS_CONNECTED: { word: 'Connected', color: 'text-green-mark', shape: connected },
  STATUS_DISCONNECTED: { word: 'Disconnected', color: 'text-gray-mark', shape: disconnected },
}

function Glyph({
  appearance,
  className,
}: {
  readonly appearance: Appearance
  readonly className?: string | undefined
}) {
  return (
    <svg viewBox="0 0 14 14" aria-hidden="true" className={cx('size-3.5', appearance.color, className)}>
      {appearance.shape}
    </svg>
  )
}

/** Colored icon and label; `children` replace the label, for example with an agent's name. */
function Status({ appearance, children }: { readonly appearance: Appearance; readonly children?: ReactNode }) {
  return (
    <span className="inline-flex max-w-full items-center gap-[7px] align-top whitespace-nowrap">
      <Glyph appearance={appearance} />
      {children ? (
        <>
          <span className="min-w-0 truncate">{children}</span>
          <span className="sr-only">{appearance.word}</span>
        </>
      ) : (
        <span>{appearance.word}</span>
      )}
    </span>
  )
}

/** The icon of an issue status; show its label beside it. */
export function IssueStatusIcon({
  status,
  className,
}: {
  readonly status: IssueStatusValue
  readonly className?: string
}) {
  return <Glyph appearance={issueAppearances[status]} className={className} />
}

export function IssueStatus({ status }: { readonly status: IssueStatusValue }) {
  return <Status appearance={issueAppearances[status]} />
}

/** The icon of a scan status; show its label beside it. */
export function ScanStatusIcon({ status }: { readonly status: ScanStatusValue }) {
  return <Glyph appearance={scanAppearances[status]} className="flex-none" />
}

/** A scan status. `children` (its target) replace the label, which is then only read out. */
export function ScanStatus({ status, children }: { readonly status: ScanStatusValue; readonly children?: ReactNode }) {
  return <Status appearance={scanAppearances[status]}>{children}</Status>
}

/** An agent status. `children` (its name) replace the label, which is then only read out. */
export function AgentStatus({
  status,
  children,
}: {
  readonly status: AgentStatusValue
  readonly children?: ReactNode
}) {
  return <Status appearance={agentAppearances[status]}>{children}</Status>
}
