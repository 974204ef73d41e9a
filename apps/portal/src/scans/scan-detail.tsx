/** `/scans/{id}` */
import type { Scan } from '@glacis/contract/scan'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { CircleStop, RotateCw } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useNow } from '#lib/clock.ts'
import { formatDate, formatNumber, formatPercent } from '#lib/format.ts'
import { useKeys } from '#lib/keyboard.ts'
import { clickKeys } from '#lib/page-keys.ts'
import { addToast } from '#ui/toasts.tsx'
import { CancelScan } from '#scans/cancel-scan.tsx'
import { formatScanDuration } from '#scans/duration.ts'
import { formatChanges, isActive, detail, reportUrl, resume, start, startedMessage } from '#scans/queries.ts'
import { ReportMenu } from '#scans/report-menu.tsx'
import { ScanChanges } from '#scans/scan-changes.tsx'
import { ScanHosts } from '#scans/scan-hosts.tsx'
import { ScanLog } from '#scans/scan-log.tsx'
import { ScanRail } from '#scans/scan-rail.tsx'
import { type ScanPartSearch, typeLabels } from '#scans/search.ts'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Detail } from '#ui/card.tsx'
import { progressText, ScanProgressBar } from '#ui/charts/scan-progress.tsx'
import { Note } from '#ui/note.tsx'
import { Crumb, PageHead } from '#ui/page-head.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SegmentedLinks, SegmentLink } from '#ui/segmented-control.tsx'
import { ScanWaitNote } from '#ui/scan-wait-note.tsx'
import { ScanStatus } from '#ui/status.tsx'

const route = getRouteApi('/_auth/scans/$id')

interface ScanDetailPageProps {
  /** The scan's issues, rendered by the `issues` module. */
  readonly risks?: ReactNode
  /** Number of issues, including those without a severity; undefined while loading. */
  readonly found?: number | undefined
}
export function ScanDetailPage({ risks, found }: ScanDetailPageProps) {
  const { id } = route.useParams()
  const search: ScanPartSearch = route.useSearch()
  const { tab = 'result' } = search
  const navigate = route.useNavigate()
  const go = (to: ScanPartSearch, replace = false) => void navigate({ search: to, replace, resetScroll: false })
  const { scan } = useSuspenseQuery(detail(id)).data
  const name = scan.target?.name ?? 'a deleted target'
  const { status } = scan
  const keys = useMemo(() => {
    const download = () => {
      if (status === 'STATUS_COMPLETED') location.assign(reportUrl(id))
    }
    return { ...clickKeys('1', '2', '3', '4'), d: download }
  }, [id, status])
  useKeys(keys)
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title={`Scan of ${name}`}
        crumbs={<Crumb to="/scans">Reporting</Crumb>}
        here={`${scan.target?.name ?? 'Deleted target'}, ${formatDate(scan.completeTime ?? scan.createTime)}`}
        actions={<ScanActions scan={scan} />}
      />
      <MetaLine scan={scan} />
      <Detail rail={<ScanRail scan={scan} />}>
        <Figures scan={scan} found={found} />
        <div className="px-(--gl-gutter) pt-4">
          <SegmentedLinks label="Scan sections">
            {parts.map(({ value, label }, index) => (
              <SegmentLink
                key={value}
                data-key={index + 1}
                from="/scans/$id"
                to="/scans/$id"
                params={{ id }}
                search={value === 'result' ? {} : { tab: value }}
                resetScroll={false}
                on={tab === value}
              >
                {label}
              </SegmentLink>
            ))}
          </SegmentedLinks>
        </div>
        {tab === 'result' && risks}
        {tab === 'changes' && <ScanChanges scan={scan} base={search.base} onBase={(base) => go({ ...search, base })} />}
        {tab === 'hosts' && <ScanHosts scan={scan} search={search} onSearch={go} />}
        {tab === 'log' && <ScanLog scan={scan} search={search} onSearch={go} />}
      </Detail>
    </div>
  )
}

const parts = [
  { value: 'result', label: 'Results' },
  { value: 'changes', label: 'Changes' },
  { value: 'hosts', label: 'Hosts' },
  { value: 'log', label: 'Log' },
] as const

function ScanActions({ scan }: { readonly scan: Scan }) {
  const [isAsking, setIsAsking] = useState(false)
  if (isActive(scan)) {
    return (
      <>
        <Button size="sm" call="cancelScan" icon={<CircleStop />} onClick={() => setIsAsking(true)}>
          Cancel scan
        </Button>
        <CancelScan scan={isAsking ? scan : undefined} onClose={() => setIsAsking(false)} />
      </>
    )
  }
  const isDone = scan.status === 'STATUS_COMPLETED'
  return (
    <>
      {scan.target && <RestartButton targetId={scan.target.id} status={scan.status} />}
      {isDone && <ReportMenu scanId={scan.id} of={scan.target?.name ?? 'the scan'} variant="primary" />}
    </>
  )
}

const restartLabels: Readonly<Partial<Record<Scan['status'], string>>> = { STATUS_FAILED: 'Try again' }

function RestartButton({ targetId, status }: { readonly targetId: string; readonly status: Scan['status'] }) {
  const navigate = useNavigate()
  const starting = useMutation(start)
  const again = () =>
    starting.mutate(targetId, {
      onSuccess: ({ scan }) => {
        addToast('success', { title: 'Success', message: startedMessage(scan) })
        void navigate({ to: '/scans/$id', params: { id: scan.id } })
      },
    })
  return (
    <Button
      size="sm"
      call="startScan"
      variant={status === 'STATUS_COMPLETED' ? 'secondary' : 'primary'}
      icon={<RotateCw />}
      loading={starting.isPending}
      onClick={again}
    >
      {restartLabels[status] ?? 'Scan again'}
    </Button>
  )
}

function MetaLine({ scan }: { readonly scan: Scan }) {
  const { status, type, retestOf, completeTime, progress } = scan
  const resuming = useMutation(resume)
  return (
    <div className="grid gap-3 px-(--gl-gutter) pt-1.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 text-ink-2">
        <span className="text-ink">
          <ScanStatus status={status} />
        </span>
        {type === 'TYPE_EMERGING' ? (
          <Badge variant="purple">{typeLabels[type]}</Badge>
        ) : retestOf ? (
          <span>
            Retest of{' '}
            <Link to="/risks/$id" params={{ id: retestOf.id }} className="inline-link">
              {retestOf.name}
            </Link>
          </span>
        ) : (
          <span>{typeLabels[type]}</span>
        )}
        {completeTime ? (
          <span>
            Finished <RelativeTime value={completeTime} />
          </span>
        ) : (
          <span>
            Created <RelativeTime value={scan.createTime} />
          </span>
        )}
      </div>
      <ScanWaitNote scan={scan} isPending={resuming.isPending} onOverride={() => resuming.mutate(scan.id)} />
      {isActive(scan) && !progress?.resumeTime && (
        <div className="grid gap-1.5">
          {status === 'STATUS_RUNNING' && <ScanProgressBar scan={scan} />}
          <output className="text-12 text-ink-2">{progressText(scan)}</output>
        </div>
      )}
      {status === 'STATUS_COMPLETED' && scan.hostCount.scannedHosts === 0 && (
        <Note variant="yellow">
          No host with an open port was found. See the{' '}
          <Link to="/scans/$id" params={{ id: scan.id }} search={{ tab: 'hosts' }} className="inline-link">
            host list
          </Link>{' '}
          for each address's response. Earlier results are unchanged.
        </Note>
      )}
      {status === 'STATUS_FAILED' && progress?.failureReason && <Note variant="red">{progress.failureReason}</Note>}
      {status === 'STATUS_CANCELLED' && progress?.failureReason && <Note variant="gray">{progress.failureReason}</Note>}
    </div>
  )
}

function Figures({ scan, found }: { readonly scan: Scan; readonly found: number | undefined }) {
  const { scannedHosts, affectedHosts, excludedHosts } = scan.hostCount
  const duration = formatScanDuration(scan, useNow())
  return (
    <section className="blk" aria-label="Statistics">
      <dl className="grid grid-cols-4 max-md:grid-cols-2 max-md:gap-y-3.5 md:[&>div]:px-5 md:[&>div+div]:border-l md:[&>div+div]:border-line md:[&>div:first-child]:pl-0">
        <Figure name="Hosts scanned" detail={excludedHosts ? `${formatNumber(excludedHosts)} excluded` : undefined}>
          {formatNumber(scannedHosts)}
        </Figure>
        <Figure
          name="Affected hosts"
          detail={scannedHosts > 0 ? formatPercent(affectedHosts / scannedHosts) : undefined}
        >
          {formatNumber(affectedHosts)}
        </Figure>
        <Figure name="Risks found" detail={scannedHosts > 0 ? scan.changes && formatChanges(scan.changes) : undefined}>
          {found === undefined ? '–' : formatNumber(found)}
        </Figure>
        <Figure name="Duration">{duration ?? '–'}</Figure>
      </dl>
    </section>
  )
}

interface FigureProps {
  readonly name: string
  readonly detail?: string | undefined
  readonly children: ReactNode
}
function Figure({ name, detail, children }: FigureProps) {
  return (
    <div>
      <dt className="text-12 text-ink-3">{name}</dt>
      <dd className="mt-1 flex flex-wrap items-baseline gap-x-2 text-20 font-medium tracking-[-.02em] tabular-nums">
        {children}
        {detail && <small className="text-12 font-normal tracking-normal text-ink-2">{detail}</small>}
      </dd>
    </div>
  )
}
