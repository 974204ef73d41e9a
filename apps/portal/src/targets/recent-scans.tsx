/** The latest scans of a target and their changes. */
import type { Scan } from '@glacis/contract/scan'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { formatNumber } from '#lib/format.ts'
import { formatChanges, isActive, list } from '#scans/queries.ts'
import { SectionHead } from '#ui/card.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SectionError } from '#ui/states.tsx'
import { ScanStatus } from '#ui/status.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'

const pageSize = 5

/** Renders nothing before the first scan. */
export function RecentScans({ targetId }: { readonly targetId: string }) {
  const { data, isError, refetch } = useQuery(list({ pageSize, filter: { targetId } }))
  const scans = data?.scans ?? []
  if (isError && !data) {
    return (
      <section aria-label="Recent scans" className="px-(--gl-gutter) pt-5">
        <SectionHead title="Recent scans" />
        <SectionError what="Scans" onRetry={() => void refetch()} />
      </section>
    )
  }
  if (scans.length === 0) return null
  return (
    <section aria-label="Recent scans" className="pt-5">
      <div className="px-(--gl-gutter) pb-2">
        <SectionHead title="Recent scans">
          <Link
            to="/scope/$id/scans"
            params={{ id: targetId }}
            className="inline-flex items-center gap-1 hover:text-ink"
          >
            All scans
            <ArrowRight className="size-3.5" aria-hidden="true" />
          </Link>
        </SectionHead>
      </div>
      <Table label="Recent scans" className="[&_tbody_tr:last-child_td]:border-b-0">
        <thead>
          <tr>
            <HeaderCell width={158}>Status</HeaderCell>
            <HeaderCell width={150}>Started</HeaderCell>
            <HeaderCell>Changes</HeaderCell>
            <HeaderCell width={96} align="end" priority={1}>
              Hosts
            </HeaderCell>
          </tr>
        </thead>
        <tbody>
          {scans.map((scan) => (
            <tr key={scan.id}>
              <Cell label="Status">
                <ScanStatus status={scan.status} />
              </Cell>
              <Cell label="Started" primary>
                <CellLink to="/scans/$id" params={{ id: scan.id }}>
                  <span className="ttl">
                    <RelativeTime value={scan.startTime ?? scan.createTime} />
                  </span>
                </CellLink>
              </Cell>
              <Cell
                label="Changes"
                quiet
                className="first-letter:uppercase"
                title={scan.progress?.failureReason ?? scan.retestOf?.name}
              >
                {[scan.retestOf && `Retest: ${scan.retestOf.name}`, resultOf(scan)].filter(Boolean).join(' · ')}
              </Cell>
              <Cell label="Hosts" align="end" priority={1} quiet>
                {formatNumber(scan.hostCount.scannedHosts)}
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  )
}

function resultOf(scan: Scan): string | undefined {
  if (scan.status === 'STATUS_COMPLETED') return scan.changes && formatChanges(scan.changes)
  return isActive(scan) ? undefined : scan.progress?.failureReason
}
