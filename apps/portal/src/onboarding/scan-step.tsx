/** The third step: the first scan, and how far it has come. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { StepHead } from '#onboarding/step-head.tsx'
import { isActive, list, start } from '#scans/queries.ts'
import { all } from '#targets/queries.ts'
import { Button } from '#ui/button.tsx'
import { progressWords, ScanProgressBar } from '#ui/charts/scan-progress.tsx'
import { SeverityCount } from '#onboarding/severity-count.tsx'
import { ScanStatus } from '#ui/status.tsx'

export function ScanStep() {
  const scans = useQuery(list({ pageSize: 5 })).data?.scans ?? []
  const targets = useQuery(all()).data?.targets ?? []
  const starting = useMutation(start(useQueryClient()))
  const busy = new Set(scans.filter(isActive).map(({ target }) => target?.id))
  return (
    <>
      <StepHead title="Run the first scan">
        It finds hosts and open ports, names their software, and proves weaknesses with checks that change nothing.
      </StepHead>
      {targets.length === 0 && <p className="text-ink-2">There is no target yet; the first step adds one.</p>}
      <ul aria-label="Targets" className="grid gap-2">
        {targets
          .filter(({ id }) => !busy.has(id))
          .slice(0, 5)
          .map(({ id, name, address }) => (
            <li key={id} className="flex items-center gap-3 rounded-md border border-line px-3 py-2">
              <span className="min-w-0 flex-1 truncate">
                <span className="font-medium">{name}</span> <span className="font-mono text-ink-2">{address}</span>
              </span>
              <Button
                size="sm"
                icon={<Play />}
                aria-label={`Start scan of ${name}`}
                loading={starting.isPending && starting.variables === id}
                onClick={() => starting.mutate(id)}
              >
                Start scan
              </Button>
            </li>
          ))}
      </ul>
      <ul aria-label="Scans" className="grid gap-4">
        {scans.map((scan) => (
          <li key={scan.id} className="grid gap-1.5">
            <Link to="/scans/$id" params={{ id: scan.id }} className="min-w-0 truncate font-medium hover:underline">
              <ScanStatus status={scan.status}>{scan.target?.name ?? 'Scan'}</ScanStatus>
            </Link>
            {isActive(scan) && <ScanProgressBar scan={scan} />}
            <output className="text-12 text-ink-2">
              {isActive(scan) ? progressWords(scan) : scan.progress?.failureReason}
            </output>
            <SeverityCount counts={scan.issueCount} />
          </li>
        ))}
      </ul>
    </>
  )
}
