/** The overview before the first scan finishes: only the next step, because there are no results yet. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Crosshair, Plus, Radar } from 'lucide-react'
import type { ReactNode } from 'react'
import { isActive, list } from '#scans/queries.ts'
import { ButtonLink } from '#ui/button.tsx'
import { progressText, ScanProgressBar } from '#ui/charts/scan-progress.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { EmptyState } from '#ui/states.tsx'
import { ScanStatus } from '#ui/status.tsx'

interface FirstRunProps {
  readonly hasTargets: boolean
  readonly startScan: ReactNode
}

export function FirstRun({ hasTargets, startScan }: FirstRunProps) {
  if (hasTargets) return <FirstScan startScan={startScan} />
  return (
    <div className="mt-4.5 border-t border-line">
      <EmptyState
        icon={<Crosshair />}
        title="Add your first target"
        actions={
          <>
            <ButtonLink
              to="/scope"
              search={{ create: true }}
              call="createTarget"
              variant="primary"
              size="sm"
              icon={<Plus />}
            >
              Add target
            </ButtonLink>
            <ButtonLink to="/onboarding" call="createTarget" variant="secondary" size="sm">
              Open the setup guide
            </ButtonLink>
          </>
        }
      >
        A target is a host, address, or range you're authorized to scan. Glacis discovers its hosts, identifies their
        software, and reports the risks here.
      </EmptyState>
    </div>
  )
}

function FirstScan({ startScan }: Pick<FirstRunProps, 'startScan'>) {
  const { data } = useQuery(list({ pageSize: 25 }))
  const running = data?.scans.filter(isActive) ?? []
  const [latest] = data?.scans ?? []
  return (
    <div className="mt-4.5 border-t border-line">
      {running.length > 0 ? (
        <section aria-label="First scan" className="mx-auto grid w-full max-w-150 gap-5 px-(--gl-gutter) py-16">
          <div>
            <h2 className="text-16 font-semibold tracking-[-.01em]">First scan in progress</h2>
            <p className="mt-1 text-14 text-ink-2">Results appear here when it finishes.</p>
          </div>
          <ul className="grid gap-4">
            {running.map((scan) => (
              <li key={scan.id} className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
                <span className="flex items-center justify-between gap-2">
                  <Link
                    to="/scans/$id"
                    params={{ id: scan.id }}
                    title={scan.target?.name}
                    className="min-w-0 truncate font-medium hover:underline"
                  >
                    <ScanStatus status={scan.status}>{scan.target?.name ?? 'Scan'}</ScanStatus>
                  </Link>
                  <RelativeTime value={scan.startTime ?? scan.createTime} className="text-12 text-ink-3" />
                </span>
                <ScanProgressBar scan={scan} />
                <output className="text-12 text-ink-2">{progressText(scan)}</output>
              </li>
            ))}
          </ul>
        </section>
      ) : (
        <EmptyState icon={<Radar />} title="Run the first scan" actions={startScan}>
          {latest?.progress?.failureReason
            ? `The last scan failed: ${latest.progress.failureReason}`
            : 'Your targets are ready. Risks, assets, and technologies appear here after the first scan.'}
        </EmptyState>
      )}
    </div>
  )
}
