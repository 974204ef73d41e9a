/** `/scope/{id}`, first tab: open risks with their trend, the latest risks, and the settings. */
import type { SeverityCount } from '@glacis/contract/primitives'
import { defaultPortCount, type Target } from '@glacis/contract/target'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { FileDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { bySeverity, openCount } from '#issues/queries.ts'
import { formatDuration, formatNumber } from '#lib/format.ts'
import { formatChanges, detail as oneScan, reportUrl } from '#scans/queries.ts'
import { detail } from '#targets/queries.ts'
import { RecentScans } from '#targets/recent-scans.tsx'
import { statusOfLastScan, TagList } from '#targets/target-table.tsx'
import { formatAllowedHours, periodLabels, permissionLabels, profileLabels } from '#targets/labels.ts'
import { ButtonAnchor } from '#ui/button.tsx'
import { Detail, Fact, Facts } from '#ui/card.tsx'
import { ChartFigure } from '#ui/charts/figure.tsx'
import { bucketsOf, levels } from '#ui/charts/series.ts'
import { LadderLink, SeverityLadder } from '#ui/charts/severity-ladder.tsx'
import { StackedColumns } from '#ui/charts/stacked-columns.tsx'
import { AbsoluteTime, RelativeTime } from '#ui/relative-time.tsx'
import { SeverityGlyph, severityLevels, severityLabels } from '#ui/severity.tsx'
import { SectionError } from '#ui/states.tsx'
import { AgentStatus, ScanStatus } from '#ui/status.tsx'

const route = getRouteApi('/_auth/scope/$id')

/** @param latestRisks the target's latest issues, rendered by the `issues` module */
export function TargetOverviewPage({ latestRisks }: { readonly latestRisks?: ReactNode }) {
  const { id } = route.useParams()
  const { target } = useSuspenseQuery(detail(id)).data
  const count = useQuery(openCount({ affectedTargetId: id })).data
  return (
    <Detail tabbed rail={<Rail target={target} />}>
      <div className="grid grid-cols-[minmax(0,42fr)_minmax(0,58fr)] border-b border-line max-md:grid-cols-1">
        <section aria-label="Open risks" className="px-(--gl-gutter) py-5">
          <h2 className="flex min-h-7 items-center gap-2 text-14/5 font-semibold tracking-[-.006em]">
            Open risks
            {count !== undefined && <span className="font-normal text-ink-3 tabular-nums">{formatNumber(count)}</span>}
          </h2>
          <OpenRisks target={target} />
        </section>
        <div className="border-line px-(--gl-gutter) py-5 max-md:border-t md:border-l md:pl-6">
          <Trend targetId={id} />
        </div>
      </div>
      {latestRisks}
      <RecentScans targetId={id} />
    </Detail>
  )
}

const quarter = (affectedTargetId: string) => bySeverity({ period: 'PERIOD_QUARTER', filter: { affectedTargetId } })

function OpenRisks({ target }: { readonly target: Target }) {
  const series = useQuery(quarter(target.id)).data
  const changeOf = (level: keyof SeverityCount) => (series?.[level].at(-1) ?? 0) - (series?.[level][0] ?? 0)
  const changes = series && {
    critical: changeOf('critical'),
    high: changeOf('high'),
    medium: changeOf('medium'),
    low: changeOf('low'),
  }
  return (
    <SeverityLadder
      counts={target.issueCount}
      changes={changes}
      row={(_, content) => (
        <LadderLink
          isSmall
          hasChanges={changes !== undefined}
          to="/scope/$id/issues"
          params={{ id: target.id }}
          search={{ sort: 'severity' }}
        >
          {content}
        </LadderLink>
      )}
    />
  )
}

function Trend({ targetId }: { readonly targetId: string }) {
  const { data, isError, refetch } = useQuery(quarter(targetId))
  if (isError && !data) return <SectionError what="Risks by severity" onRetry={() => void refetch()} />
  const buckets = bucketsOf(data?.timestamps ?? [], 'PERIOD_QUARTER')
  const series = severityLevels.map((level) => ({
    name: severityLabels[level],
    color: `var(--gl-${level})`,
    glyph: <SeverityGlyph level={level} className="size-3" />,
    values: data ? levels(buckets, data[level]) : [],
  }))
  return (
    <ChartFigure title="By severity" points={buckets} series={series} height={136} aside="Quarter" showTotal>
      <StackedColumns label="Open risks by severity" points={buckets} series={series} height={136} />
    </ChartFigure>
  )
}

function Rail({ target }: { readonly target: Target }) {
  return (
    <>
      <section>
        <h2>Details</h2>
        <Facts>
          <Fact name="Address">
            <span className="font-mono wrap-anywhere">{target.readableAddress ?? target.address}</span>
            {target.readableAddress && (
              <span className="block font-mono text-12 text-ink-3 wrap-anywhere">{target.address}</span>
            )}
          </Fact>
          <Fact name="Schedule">{periodLabels[target.schedule.period]}</Fact>
          {target.schedule.allowedHours && <Fact name="Hours">{formatAllowedHours(target.schedule.allowedHours)}</Fact>}
          {target.nextScanTime && (
            <Fact name="Next scan">
              <AbsoluteTime value={target.nextScanTime} />
            </Fact>
          )}
          <Fact name="Agent">
            {target.agent ? (
              <Link to="/agents/$id" params={{ id: target.agent.id }} className="hover:underline">
                <AgentStatus status={target.agent.status}>{target.agent.name}</AgentStatus>
              </Link>
            ) : (
              <span className="text-ink-2">
                {target.formerAgent ? `${target.formerAgent.name} (deleted)` : 'None (scanned from this server)'}
              </span>
            )}
          </Fact>
          {target.owner && <Fact name="Owner">{target.owner.name}</Fact>}
          {target.tags.length > 0 && (
            <Fact name="Tags">
              <TagList tags={target.tags} />
            </Fact>
          )}
          <Fact name="Created">
            <AbsoluteTime value={target.createTime} />
          </Fact>
          <Fact name="Updated">
            <AbsoluteTime value={target.updateTime} />
          </Fact>
        </Facts>
      </section>
      <section>
        <h2>Scan settings</h2>
        <Facts>
          <Fact name="Profile">
            {profileLabels[target.profile ?? 'gentle']}
            {target.ratePerHost !== undefined &&
              `, at most ${formatNumber(target.ratePerHost)} ${target.ratePerHost === 1 ? 'request' : 'requests'} per second per host`}
          </Fact>
          <Fact name="Intrusive checks">
            {target.permissions?.length
              ? target.permissions.map((permission) => permissionLabels[permission]).join(', ')
              : 'None allowed'}
          </Fact>
          <Fact name="Ports">
            {target.ports ? <span className="font-mono">{target.ports}</span> : defaultPortsLabel(target)}
          </Fact>
          <Fact name="Exclusions">
            {target.exclusions?.length ? <span className="font-mono">{target.exclusions.join(', ')}</span> : 'None'}
          </Fact>
        </Facts>
      </section>
      <section>
        <h2>Last scan</h2>
        {target.lastScan ? (
          <LastScan target={target} id={target.lastScan.id} />
        ) : (
          <p className="text-ink-2">Not scanned yet.</p>
        )}
      </section>
    </>
  )
}

/** A URL already specifies its port. */
function defaultPortsLabel({ address, profile }: Target): string {
  if (/^https?:/i.test(address)) return 'The port of the URL'
  return profile === 'deep' ? `All ${formatNumber(65_535)}` : `The ${formatNumber(defaultPortCount)} most common`
}

function LastScan({ target, id }: { readonly target: Target; readonly id: string }) {
  const scan = useQuery(oneScan(id)).data?.scan
  const status = scan?.status ?? statusOfLastScan(target)
  const from = scan?.startTime ?? scan?.createTime
  return (
    <>
      <Facts>
        {status && (
          <Fact name="Status">
            <Link to="/scans/$id" params={{ id }} className="hover:underline">
              <ScanStatus status={status} />
            </Link>
          </Fact>
        )}
        {scan?.completeTime && (
          <Fact name="Finished">
            <RelativeTime value={scan.completeTime} />
          </Fact>
        )}
        {scan?.completeTime && from && (
          <Fact name="Duration">{formatDuration(Date.parse(scan.completeTime) - Date.parse(from))}</Fact>
        )}
        {scan && scan.status !== 'STATUS_CREATED' && (
          <Fact name="Hosts">
            {formatNumber(scan.hostCount.scannedHosts)} scanned, {formatNumber(scan.hostCount.affectedHosts)} affected
            {scan.hostCount.excludedHosts !== undefined && `, ${formatNumber(scan.hostCount.excludedHosts)} excluded`}
          </Fact>
        )}
        {scan?.changes && scan.status === 'STATUS_COMPLETED' && (
          <Fact name="Changes">
            <Link to="/scans/$id" params={{ id }} search={{ tab: 'changes' }} className="inline-link">
              {formatChanges(scan.changes)}
            </Link>
          </Fact>
        )}
      </Facts>
      {status === 'STATUS_COMPLETED' && (
        <ButtonAnchor href={reportUrl(id)} download size="sm" block icon={<FileDown />} className="mt-3">
          Download report
        </ButtonAnchor>
      )}
    </>
  )
}
