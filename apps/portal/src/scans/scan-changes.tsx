/** Changes between a scan and an earlier one of the same target. */
import type { ComparedIssue, Scan } from '@glacis/contract/scan'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { GitCompareArrows } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatDateTime, formatNumber } from '#lib/format.ts'
import { changes, list } from '#scans/queries.ts'
import { Badge, type BadgeVariant } from '#ui/badge.tsx'
import { SectionHead } from '#ui/card.tsx'
import { Select } from '#ui/field.tsx'
import { ListBody } from '#ui/list.tsx'
import { Severity, severityLevel } from '#ui/severity.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'

interface ScanChangesProps {
  readonly scan: Scan
  /** ID of the scan to compare with; undefined for the previous completed scan. */
  readonly base: string | undefined
  readonly onBase: (id: string | undefined) => void
}

const sections = [
  { key: 'new', title: 'New', variant: 'main', description: 'Found in this scan but not in the earlier one.' },
  { key: 'regressive', title: 'Regressed', variant: 'purple', description: 'Previously resolved and found again.' },
  { key: 'resolved', title: 'Resolved', variant: 'green', description: 'No longer found, or resolved manually.' },
  {
    key: 'notTested',
    title: 'Not tested',
    variant: 'gray',
    description: 'Found before but not checked in this scan, for example because the host did not respond.',
  },
] as const satisfies readonly { key: string; title: string; variant: BadgeVariant; description: string }[]

export function ScanChanges({ scan, base, onBase }: ScanChangesProps) {
  const query = useQuery(changes(scan.id, base))
  const diff = query.data
  const total = diff && sections.reduce((sum, { key }) => sum + diff[key].length, 0)
  return (
    <section aria-label="Changes">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-(--gl-gutter) pt-4 pb-3 text-ink-2">
        <BaseScanSelect scan={scan} base={base ?? diff?.baseScan?.id} onBase={onBase} />
        {diff?.baseScan && <span>{formatNumber(diff.unchangedCount)} unchanged</span>}
      </div>
      <ListBody
        what="Changes"
        query={query}
        count={diff ? (diff.baseScan ? total : total || 1) : undefined}
        empty={
          <EmptyState icon={<GitCompareArrows />} title="No changes">
            This scan found the same risks as the earlier one ({formatNumber(diff?.unchangedCount ?? 0)}).
          </EmptyState>
        }
      >
        {!diff && <Skeleton className="mx-(--gl-gutter) w-1/3" />}
        {diff && !diff.baseScan && <FirstScan count={diff.new.length} />}
        {diff &&
          sections.map(({ key, title, variant, description }) => (
            <Section
              key={key}
              title={title}
              variant={variant}
              description={diff.baseScan && description}
              issues={diff[key]}
            />
          ))}
      </ListBody>
    </section>
  )
}

function FirstScan({ count }: { readonly count: number }) {
  return (
    <p className="px-(--gl-gutter) pb-2 text-ink-2">
      This is the target's first scan{count > 0 ? ', so every risk is new' : ''}.
    </p>
  )
}

/** Select for the earlier scan. Renders nothing if there is none. */
function BaseScanSelect({ scan, base, onBase }: ScanChangesProps) {
  const targetId = scan.target?.id
  const { data } = useQuery({
    ...list({ pageSize: 50, filter: { targetId, status: ['STATUS_COMPLETED'] } }),
    enabled: targetId !== undefined,
  })
  const earlier = data?.scans.filter(({ createTime }) => createTime < scan.createTime) ?? []
  if (earlier.length === 0) return null
  return (
    <label className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
      Compared with the scan of
      <Select
        small
        className="w-auto!"
        value={base ?? earlier[0]?.id}
        onChange={(event) => {
          const chosen = event.currentTarget.value
          onBase(chosen === earlier[0]?.id ? undefined : chosen)
        }}
      >
        {earlier.map(({ id, completeTime, createTime }) => (
          <option key={id} value={id}>
            {formatDateTime(completeTime ?? createTime)}
          </option>
        ))}
      </Select>
    </label>
  )
}

interface SectionProps {
  readonly title: string
  readonly variant: BadgeVariant
  /** Undefined without an earlier scan. */
  readonly description: string | undefined
  readonly issues: readonly ComparedIssue[]
}
function Section({ title, variant, description, issues }: SectionProps) {
  if (issues.length === 0) return null
  return (
    <section aria-label={title} className="pt-3">
      <div className="px-(--gl-gutter) pb-2">
        <SectionHead
          title={
            <span className="flex items-center gap-2">
              <Badge variant={variant}>{title}</Badge>
              <span className="font-normal text-ink-3 tabular-nums">{formatNumber(issues.length)}</span>
            </span>
          }
        >
          <span className="text-12 font-normal text-ink-3 max-md:hidden">{description}</span>
        </SectionHead>
      </div>
      <Table label={`${title} risks`}>
        <thead>
          <tr>
            <HeaderCell width={144}>Severity</HeaderCell>
            <HeaderCell>Risk</HeaderCell>
            <HeaderCell className="w-[38%]" priority={1}>
              Hosts
            </HeaderCell>
          </tr>
        </thead>
        <tbody>
          {issues.map((issue) => (
            <tr key={issue.id}>
              <Cell label="Severity">
                <Severity level={severityLevel(issue.category)} />
              </Cell>
              <Cell label="Risk" primary>
                <CellLink to="/risks/$id" params={{ id: issue.id }} title={issue.name}>
                  <span className="ttl truncate">{issue.name}</span>
                  {issue.verification === 'VERIFICATION_UNVERIFIED' && <Badge small>Potential</Badge>}
                  {issue.isElsewhere && (
                    <Badge small title="Also affects other hosts of this target">
                      Other hosts
                    </Badge>
                  )}
                </CellLink>
              </Cell>
              <Cell label="Hosts" priority={1} quiet>
                <Hosts hosts={issue.hosts} />
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  )
}

const maxHostsShown = 3

function Hosts({ hosts }: Pick<ComparedIssue, 'hosts'>): ReactNode {
  const more = hosts.length - maxHostsShown
  return (
    <span className="flex min-w-0 items-center gap-2 font-mono" title={hosts.map(({ address }) => address).join(', ')}>
      <span className="truncate">
        {hosts.slice(0, maxHostsShown).map(({ id, address, name }, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <Link to="/assets/$id" params={{ id }} className="hover:underline">
              {name ?? address}
            </Link>
          </span>
        ))}
      </span>
      {more > 0 && <span className="flex-none text-ink-3 tabular-nums">+{formatNumber(more)}</span>}
    </span>
  )
}
