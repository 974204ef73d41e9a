import type { Scan } from '@glacis/contract/scan'
import { useMutation } from '@tanstack/react-query'
import { CircleStop, RotateCw } from 'lucide-react'
import { useNow } from '#lib/clock.ts'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { addToast } from '#ui/toasts.tsx'
import { formatRoughDuration } from '#scans/duration.ts'
import { formatChanges, isActive, start, startedMessage } from '#scans/queries.ts'
import { ReportMenu } from '#scans/report-menu.tsx'
import { typeLabels } from '#scans/search.ts'
import { Badge } from '#ui/badge.tsx'
import { IconButton } from '#ui/button.tsx'
import { progressText, ScanProgressBar } from '#ui/charts/scan-progress.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SeverityCells, SeverityHeads } from '#ui/severity-columns.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { ScanStatus } from '#ui/status.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'
import { TableBody } from '#ui/table-body.tsx'

interface ScanTableProps {
  /** Undefined while loading. */
  readonly scans: readonly Scan[] | undefined
  /** Omits the target column on the target's own page. */
  readonly hidesTarget?: boolean
  readonly onCancel: (scan: Scan) => void
}

/** Table of scans, active ones first. */
export function ScanTable({ scans, hidesTarget = false, onCancel }: ScanTableProps) {
  const now = useNow()
  const pinned = scans && [...scans].sort((a, b) => Number(isActive(b)) - Number(isActive(a)))
  return (
    <Table label="Scans">
      <thead>
        <tr>
          <HeaderCell width={140}>Status</HeaderCell>
          <HeaderCell>{hidesTarget ? 'Started' : 'Target'}</HeaderCell>
          <HeaderCell width={104} priority={3}>
            Type
          </HeaderCell>
          {!hidesTarget && (
            <HeaderCell width={124} priority={2}>
              Started
            </HeaderCell>
          )}
          <HeaderCell width={84} priority={2} align="end">
            Duration
          </HeaderCell>
          <HeaderCell width={64} priority={1} align="end">
            Hosts
          </HeaderCell>
          <HeaderCell width={80} priority={3} align="end">
            Affected
          </HeaderCell>
          <SeverityHeads />
          <HeaderCell width={74}>
            <span className="sr-only">Actions</span>
          </HeaderCell>
        </tr>
      </thead>
      <TableBody>
        {!pinned && <SkeletonRows columns={hidesTarget ? 10 : 11} />}
        {pinned?.map((scan) => (
          <Row key={scan.id} scan={scan} now={now} hidesTarget={hidesTarget} onCancel={onCancel} />
        ))}
      </TableBody>
    </Table>
  )
}

interface RowProps {
  readonly scan: Scan
  readonly now: number
  readonly hidesTarget: boolean
  readonly onCancel: (scan: Scan) => void
}
function Row({ scan, now, hidesTarget, onCancel }: RowProps) {
  const hasCounts = scan.status === 'STATUS_COMPLETED' || scan.status === 'STATUS_RUNNING'
  const isWaiting = scan.status === 'STATUS_CREATED'
  const started = <RelativeTime value={scan.startTime ?? scan.createTime} />
  return (
    <tr data-row={scan.id}>
      <Cell label="Status">
        <span className="grid gap-1.5">
          <ScanStatus status={scan.status} />
          {scan.status === 'STATUS_RUNNING' && <ScanProgressBar scan={scan} />}
        </span>
      </Cell>
      <Cell label={hidesTarget ? 'Started' : 'Target'} primary>
        <CellLink data-row-link to="/scans/$id" params={{ id: scan.id }}>
          <span className="ttl max-w-full flex-none truncate" title={hidesTarget ? undefined : scan.target?.name}>
            {hidesTarget ? started : (scan.target?.name ?? 'Deleted target')}
          </span>
          <Detail scan={scan} />
        </CellLink>
      </Cell>
      <Cell label="Type" priority={3} quiet>
        {scan.type === 'TYPE_EMERGING' ? (
          <Badge variant="purple">{typeLabels[scan.type]}</Badge>
        ) : scan.retestOf ? (
          <span title={`Retest of “${scan.retestOf.name}”`}>Retest</span>
        ) : (
          typeLabels[scan.type]
        )}
      </Cell>
      {!hidesTarget && (
        <Cell label="Started" quiet priority={2}>
          {started}
        </Cell>
      )}
      <Cell label="Duration" priority={2} align="end" quiet className={cx(isWaiting && 'max-md:hidden!')}>
        {formatRoughDuration(scan, now) ?? '–'}
      </Cell>
      <Cell label="Hosts" priority={1} align="end" className={cx(isWaiting && 'max-md:hidden!')}>
        {isWaiting ? '–' : formatNumber(scan.hostCount.scannedHosts)}
      </Cell>
      <Cell label="Affected" priority={3} align="end" className={cx(isWaiting && 'max-md:hidden!')}>
        {isWaiting ? '–' : formatNumber(scan.hostCount.affectedHosts)}
      </Cell>
      <SeverityCells counts={hasCounts ? scan.issueCount : undefined} />
      <Cell className="right">
        {scan.status === 'STATUS_COMPLETED' && <ReportMenu scanId={scan.id} of={scan.target?.name ?? 'the scan'} />}
        {scan.status === 'STATUS_FAILED' && <RestartButton scan={scan} />}
        {isActive(scan) && (
          <IconButton
            size="xs"
            call="cancelScan"
            label={`Cancel the scan of ${scan.target?.name ?? 'this target'}`}
            icon={<CircleStop />}
            onClick={() => onCancel(scan)}
          />
        )}
      </Cell>
    </tr>
  )
}

/** Progress, failure reason, or changes, next to the name. */
function Detail({ scan }: { readonly scan: Scan }) {
  const detail = detailOf(scan)
  if (!detail) return null
  return (
    <span className="min-w-0 truncate text-12 text-ink-3" title={detail}>
      {detail}
    </span>
  )
}

function detailOf(scan: Scan): string | undefined {
  if (isActive(scan)) return progressText(scan)
  if (scan.status !== 'STATUS_COMPLETED') return scan.progress?.failureReason
  if (scan.retestOf) return `Retest: ${scan.retestOf.name}`
  const { new: fresh = 0, resolved = 0, regressive = 0 } = scan.changes ?? {}
  return scan.changes && fresh + resolved + regressive > 0 ? formatChanges(scan.changes) : undefined
}

/** Restarts a failed scan from its row. */
function RestartButton({ scan }: { readonly scan: Scan }) {
  const starting = useMutation(start)
  const { target } = scan
  if (!target) return null
  const onSuccess = (response: { readonly scan: Scan }) =>
    addToast('success', { title: 'Success', message: startedMessage(response.scan) })
  return (
    <IconButton
      size="xs"
      call="startScan"
      label={`Try again: ${target.name}`}
      icon={<RotateCw />}
      loading={starting.isPending}
      onClick={() => starting.mutate(target.id, { onSuccess })}
    />
  )
}
