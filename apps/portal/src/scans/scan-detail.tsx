/** `/scans/{id}` */
import type { Scan } from '@glacis/contract/scan'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { CircleStop, RotateCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useNow } from '#lib/clock.ts'
import { formatDate, formatNumber, formatPercent } from '#lib/format.ts'
import { addToast } from '#lib/toasts.ts'
import { CancelScan } from '#scans/cancel-scan.tsx'
import { durationWords } from '#scans/duration.ts'
import { isActive, one, start } from '#scans/queries.ts'
import { ReportMenu } from '#scans/report-menu.tsx'
import { ScanLog } from '#scans/scan-log.tsx'
import { ScanRail } from '#scans/scan-rail.tsx'
import { typeWords } from '#scans/search.ts'
import { Button } from '#ui/button.tsx'
import { Detail } from '#ui/card.tsx'
import { progressWords, ScanProgressBar } from '#ui/charts/scan-progress.tsx'
import { Note } from '#ui/note.tsx'
import { Crumb, PageHead } from '#ui/page-head.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SegmentedLinks, SegmentLink } from '#ui/segmented-control.tsx'
import { severityLevels } from '#ui/severity.tsx'
import { ScanStatus } from '#ui/status.tsx'

const route = getRouteApi('/_auth/scans/$id')

/** @param risks the issues of this scan, which belong to another room */
export function ScanDetailPage({ risks }: { readonly risks?: ReactNode }) {
  const { id } = route.useParams()
  const { tab = 'result' } = route.useSearch()
  const { scan } = useSuspenseQuery(one(id)).data
  const name = scan.target?.name ?? 'a deleted target'
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
        <Figures scan={scan} />
        <div className="px-(--gl-gutter) pt-4">
          <SegmentedLinks label="Parts of the scan">
            <SegmentLink from="/scans/$id" to="/scans/$id" params={{ id }} search={{}} on={tab === 'result'}>
              Result
            </SegmentLink>
            <SegmentLink from="/scans/$id" to="/scans/$id" params={{ id }} search={{ tab: 'log' }} on={tab === 'log'}>
              Log
            </SegmentLink>
          </SegmentedLinks>
        </div>
        {tab === 'log' ? <ScanLog id={id} isRunning={isActive(scan)} /> : risks}
      </Detail>
    </div>
  )
}

function ScanActions({ scan }: { readonly scan: Scan }) {
  const [isAsking, setIsAsking] = useState(false)
  if (isActive(scan)) {
    return (
      <>
        <Button size="sm" icon={<CircleStop />} onClick={() => setIsAsking(true)}>
          Cancel scan
        </Button>
        <CancelScan scan={isAsking ? scan : undefined} onClose={() => setIsAsking(false)} />
      </>
    )
  }
  const isDone = scan.status === 'STATUS_COMPLETED'
  return (
    <>
      {scan.target && <AgainButton targetId={scan.target.id} isPrimary={!isDone} />}
      {isDone && <ReportMenu scanId={scan.id} of={scan.target?.name ?? 'the scan'} look="primary" />}
    </>
  )
}

function AgainButton({ targetId, isPrimary }: { readonly targetId: string; readonly isPrimary: boolean }) {
  const navigate = useNavigate()
  const starting = useMutation(start(useQueryClient()))
  const again = () =>
    starting.mutate(targetId, {
      onSuccess: ({ scan }) => {
        addToast('success', { title: 'Success', message: 'Scan started. Results appear as hosts are scanned.' })
        void navigate({ to: '/scans/$id', params: { id: scan.id } })
      },
    })
  return (
    <Button
      size="sm"
      variant={isPrimary ? 'primary' : 'secondary'}
      icon={<RotateCw />}
      loading={starting.isPending}
      onClick={again}
    >
      Run again
    </Button>
  )
}

function MetaLine({ scan }: { readonly scan: Scan }) {
  const { status, type, completeTime, progress } = scan
  return (
    <div className="grid gap-3 px-(--gl-gutter) pt-1.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 text-ink-2">
        <span className="text-ink">
          <ScanStatus status={status} />
        </span>
        <span>{typeWords[type]}</span>
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
      {isActive(scan) && (
        <div className="grid gap-1.5">
          {status === 'STATUS_RUNNING' && <ScanProgressBar scan={scan} />}
          <output className="text-12 text-ink-2">{progressWords(scan)}</output>
        </div>
      )}
      {status === 'STATUS_COMPLETED' && scan.hostCount.scannedHosts === 0 && (
        <Note variant="yellow">
          No host with an open port was found; the{' '}
          <Link to="/scans/$id" params={{ id: scan.id }} search={{ tab: 'log' }} className="inline-link">
            log
          </Link>{' '}
          says what was tried. What was known before stays as it was.
        </Note>
      )}
      {status === 'STATUS_FAILED' && progress?.failureReason && <Note variant="red">{progress.failureReason}</Note>}
      {status === 'STATUS_CANCELLED' && progress?.failureReason && <Note variant="gray">{progress.failureReason}</Note>}
    </div>
  )
}

function Figures({ scan }: { readonly scan: Scan }) {
  const { scannedHosts, affectedHosts } = scan.hostCount
  const found = severityLevels.reduce((sum, level) => sum + scan.issueCount[level], 0)
  const duration = durationWords(scan, useNow())
  return (
    <section className="blk" aria-label="Figures">
      <dl className="grid grid-cols-4 max-md:grid-cols-2 max-md:gap-y-3.5 md:[&>div]:px-5 md:[&>div+div]:border-l md:[&>div+div]:border-line md:[&>div:first-child]:pl-0">
        <Figure name="Hosts scanned">{formatNumber(scannedHosts)}</Figure>
        <Figure
          name="Affected hosts"
          detail={scannedHosts > 0 ? formatPercent(affectedHosts / scannedHosts) : undefined}
        >
          {formatNumber(affectedHosts)}
        </Figure>
        <Figure
          name="Rated risks"
          detail={scannedHosts > 0 ? scan.changes && changeWords(scan.changes, found) : undefined}
        >
          {formatNumber(found)}
        </Figure>
        <Figure name="Duration">{duration ?? '–'}</Figure>
      </dl>
    </section>
  )
}

/**
 * "3 new, 5 resolved"; what is zero is not said. The changes count risks without a rating too, so a number
 * that would exceed the rated ones beside it says so.
 */
export function changeWords(changes: NonNullable<Scan['changes']>, rated: number): string {
  const parts = [
    [changes.new, 'new'],
    [changes.regressive, 'regressed'],
    [changes.resolved, 'resolved'],
  ] as const
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatNumber(count)} ${word}`)
  if (said.length === 0) return 'nothing changed'
  const isMixed = changes.new + changes.regressive > rated
  return `${said.join(', ')}${isMixed ? ', unrated included' : ''}`
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
