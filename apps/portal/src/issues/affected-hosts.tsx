/** The affected hosts of a risk, each with its evidence and history. */
import type { AffectedHost, Issue } from '@glacis/contract/issue'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { ignoreSummary } from '#issues/issue-notes.tsx'
import { EvidenceBlock } from '#issues/evidence.tsx'
import { EvidencePanel } from '#issues/evidence-panel.tsx'
import { type StatusSpan, statusSpans, stripLabel } from '#issues/history-strip.ts'
import { HistoryTimeline } from '#issues/history-timeline.tsx'
import { AffectedHostMenu } from '#issues/host-menu.tsx'
import { hostName } from '#issues/issue-cells.tsx'
import { useNow } from '#lib/clock.ts'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { IconButton } from '#ui/button.tsx'
import { FilterMenu } from '#ui/filter-bar.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { IssueStatus } from '#ui/status.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'

const legend = ['STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED', 'STATUS_REGRESSION'] as const

/** One row per host. The first row starts expanded if it has evidence. */
export function AffectedHostTable({ issue }: { readonly issue: Issue }) {
  const hosts = issue.affectedHosts
  const count = issue.affectedHostCount ?? hosts.length
  const [shown, setShown] = useState<AffectedHost>()
  const [targetId, setTargetId] = useState<string>()
  const ofTarget = hosts.filter(({ target }) => target.id === targetId)
  const listed = ofTarget.length > 0 ? ofTarget : hosts
  return (
    <section className="blk px-0! pb-0!" aria-label="Affected hosts">
      <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2 px-(--gl-gutter) pb-2">
        <h2 className="mr-auto text-14/5 font-semibold tracking-[-.006em]">
          Affected hosts <span className="ml-1 font-normal text-ink-3 tabular-nums">{formatNumber(count)}</span>
        </h2>
        <Legend hosts={hosts} />
        <TargetFilter hosts={hosts} chosen={targetId} onChange={setTargetId} />
      </div>
      {hosts.length === 0 ? (
        <p className="px-(--gl-gutter) pb-5 text-ink-2">No longer found on any host.</p>
      ) : (
        <Table label="Affected hosts" className="[&_tbody_tr:last-child_td]:border-b-0">
          <thead>
            <tr>
              <HeaderCell width={64} className="pr-0!">
                <span className="sr-only">Evidence</span>
              </HeaderCell>
              {/* The evidence row spans columns that are hidden when narrow; without a fixed width they'd take space from this one. */}
              <HeaderCell className="@max-[700px]:w-[calc(100cqi-364px)]">Host</HeaderCell>
              <HeaderCell className="w-[clamp(76px,24cqi-66px,150px)]" priority={1}>
                Target
              </HeaderCell>
              <HeaderCell width={118}>Status</HeaderCell>
              <HeaderCell width={124}>Last seen</HeaderCell>
              <HeaderCell className="w-[clamp(96px,30cqi-110px,150px)]" priority={1}>
                History, 90 days
              </HeaderCell>
              <HeaderCell width={58}>
                <span className="sr-only">Actions</span>
              </HeaderCell>
            </tr>
          </thead>
          <tbody>
            {listed.map((host, index) => (
              <AffectedHostRow
                key={host.host.id}
                issue={issue}
                affected={host}
                isFirst={index === 0}
                onEvidence={() => setShown(host)}
              />
            ))}
          </tbody>
        </Table>
      )}
      {count > hosts.length && (
        <p className="border-t border-line px-(--gl-gutter) py-3 text-ink-2">
          and {formatNumber(count - hosts.length)} more. For the full list, export risks as CSV with one row per
          affected host.
        </p>
      )}
      <EvidencePanel issueId={issue.id} host={shown} onClose={() => setShown(undefined)} />
    </section>
  )
}

interface TargetFilterProps {
  readonly hosts: readonly AffectedHost[]
  readonly chosen: string | undefined
  readonly onChange: (targetId: string | undefined) => void
}

/** Offered if the hosts belong to several targets. */
function TargetFilter({ hosts, chosen, onChange }: TargetFilterProps) {
  const targets = Map.groupBy(hosts, ({ target }) => target.id)
  if (targets.size < 2) return null
  const options = [...targets].map(([value, [first, ...others]]) => ({
    value,
    label: `${first?.target.name ?? ''} (${formatNumber(others.length + 1)})`,
  }))
  return (
    <FilterMenu
      label="Target"
      options={options}
      chosen={chosen === undefined ? [] : [chosen]}
      onChange={([target]) => onChange(target)}
    />
  )
}

/** The colors of the history strips; lists only statuses that occur. */
function Legend({ hosts }: { readonly hosts: readonly AffectedHost[] }) {
  const statuses = new Set(hosts.flatMap(({ history }) => history.map(({ status }) => status)))
  return (
    <p className="flex gap-4 text-12 text-ink-2 max-md:hidden" aria-hidden="true">
      {legend
        .filter((status) => statuses.has(status))
        .map((status) => (
          <IssueStatus key={status} status={status} />
        ))}
    </p>
  )
}

interface HostRowProps {
  readonly issue: Issue
  readonly affected: AffectedHost
  readonly isFirst: boolean
  readonly onEvidence: () => void
}
function AffectedHostRow({ issue, affected, isFirst, onEvidence }: HostRowProps) {
  const evidence = affected.evidence ?? []
  const [isOpen, setIsOpen] = useState(isFirst && evidence.length > 0)
  const name = hostName(affected)
  const cellClass = isOpen && 'border-b-transparent!'
  return (
    <>
      <tr>
        <Cell className={cx('pr-0!', cellClass)}>
          <IconButton
            size="xs"
            label={`${isOpen ? 'Hide' : 'Show'} evidence for ${name}`}
            icon={isOpen ? <ChevronDown /> : <ChevronRight />}
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          />
        </Cell>
        <Cell label="Host" primary className={cx(cellClass)}>
          <CellLink to="/assets/$id" params={{ id: affected.host.id }} title={name}>
            <span className="ttl truncate font-mono">{name}</span>
          </CellLink>
        </Cell>
        <Cell label="Target" priority={1} quiet className={cx(cellClass)} title={affected.target.name}>
          {affected.target.name}
        </Cell>
        <Cell label="Status" className={cx(cellClass)}>
          <IssueStatus status={affected.status} />
        </Cell>
        <Cell label="Last seen" quiet className={cx(cellClass)}>
          <RelativeTime value={affected.lastSeenTime} />
        </Cell>
        <Cell label="History, 90 days" priority={1} className={cx(cellClass, 'max-md:order-1 max-md:w-full!')}>
          <HistoryStrip history={affected.history} />
        </Cell>
        <Cell className={cx(cellClass, 'right overflow-visible! text-clip!')}>
          <AffectedHostMenu issue={issue} affected={affected} onEvidence={onEvidence} />
        </Cell>
      </tr>
      {isOpen && (
        <tr className="hover:bg-transparent!">
          <Cell colSpan={7} className="pt-0! pb-4! pl-[76px]! whitespace-normal! max-md:pl-0!">
            <div className="grid grid-cols-[minmax(0,1fr)_190px] gap-5 max-md:grid-cols-1">
              <div className="grid min-w-0 content-start gap-4">
                {affected.notCheckedSinceTime && (
                  <p className="text-12 text-ink-2">
                    Not checked since <RelativeTime value={affected.notCheckedSinceTime} />. The risk may or may not
                    still be present.
                  </p>
                )}
                {affected.ignored && <p className="text-12 text-ink-2">{ignoreSummary(affected.ignored)}</p>}
                {evidence.length === 0 && <p className="text-12 text-ink-3">No evidence recorded.</p>}
                {evidence.map((item) => (
                  <EvidenceBlock key={`${item.location} ${item.method}`} evidence={item} />
                ))}
              </div>
              <div>
                <p className="mb-1.5 text-12 text-ink-3">History on this host</p>
                <HistoryTimeline history={affected.history} />
              </div>
            </div>
          </Cell>
        </tr>
      )}
    </>
  )
}

const spanStyles: Readonly<Record<StatusSpan['status'], string>> = {
  STATUS_REGRESSION: 'h-3 bg-regression',
  STATUS_OPEN: 'h-2 bg-open',
  STATUS_RESOLVED: 'h-1 bg-resolved',
  STATUS_IGNORED: 'h-1 bg-ignored',
  absent: 'h-0.5 bg-n6',
}

/** Color and height show the status; the label says it as text. */
function HistoryStrip({ history }: Pick<AffectedHost, 'history'>) {
  const all = statusSpans(history, useNow())
  const label = stripLabel(all)
  return (
    <span className="flex h-3.5 items-center gap-[1.5px]" title={label}>
      <span className="sr-only">{label}</span>
      {all.map(({ status, share, from }) => (
        <i
          key={from}
          className={cx('min-w-0.5 rounded-[1px]', spanStyles[status])}
          style={{ flexGrow: share, flexBasis: 0 }}
        />
      ))}
    </span>
  )
}
