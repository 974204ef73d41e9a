/** Third step: first scan, with its progress and results. */
import type { Scan } from '@glacis/contract/scan'
import type { Target } from '@glacis/contract/target'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { formatNumber } from '#lib/format.ts'
import type { StepNavigation } from '#onboarding/onboarding.tsx'
import { StepHead, useStepFocus } from '#onboarding/step-head.tsx'
import { isActive, list, start, startManyWithToast, maxStarts } from '#scans/queries.ts'
import { all } from '#targets/queries.ts'
import { Button } from '#ui/button.tsx'
import { progressText, ScanProgressBar } from '#ui/charts/scan-progress.tsx'
import { Note } from '#ui/note.tsx'
import { SeverityGlyph, severityLevels, severityLabels } from '#ui/severity.tsx'
import { ScanStatus } from '#ui/status.tsx'
import { TargetAddress } from '#ui/target-address.tsx'

/** Maximum number of targets and of scans to list. */
const maxShown = 5

export function ScanStep({ renderNavigation }: { readonly renderNavigation: StepNavigation }) {
  const scans = useQuery(list({ pageSize: 25 })).data?.scans
  const targets = useQuery(all()).data?.targets
  const isRunning = scans?.some(isActive) ?? false
  const isScanned = scans?.some(isCompleted) ?? false
  // List only targets that still need a scan, including those whose scan failed.
  const settled = new Set(scans?.filter((scan) => isActive(scan) || isCompleted(scan)).map(({ target }) => target?.id))
  const waiting = scans && targets?.filter(({ id }) => !settled.has(id))
  // Starting a scan removes the target's row and with it the focused button.
  useStepFocus(waiting?.map(({ id }) => id).join(' '))
  return (
    <>
      <StepHead of="SCAN" />
      {targets?.length === 0 && (
        <p className="text-ink-2">There are no targets yet. Go back to the first step to add one.</p>
      )}
      {scans && scans.length > 0 && (
        <ul aria-label="Scans" className="grid gap-4">
          {scans.slice(0, maxShown).map((scan) => (
            <ScanLine key={scan.id} scan={scan} />
          ))}
        </ul>
      )}
      {isRunning && (
        <Note>
          <p>The scan continues in the background. You don't need to wait here.</p>
        </Note>
      )}
      {waiting && waiting.length > 0 && <UnscannedTargets targets={waiting} isFirst={!isRunning && !isScanned} />}
      {renderNavigation({ isReady: isRunning || isScanned })}
    </>
  )
}

function ScanLine({ scan }: { readonly scan: Scan }) {
  return (
    <li className="grid gap-1.5">
      <Link
        to="/scans/$id"
        params={{ id: scan.id }}
        title={scan.target?.name}
        className="min-w-0 truncate font-medium hover:underline"
      >
        <ScanStatus status={scan.status}>{scan.target?.name ?? 'Scan'}</ScanStatus>
      </Link>
      {isActive(scan) && <ScanProgressBar scan={scan} />}
      <output className="text-12 text-ink-2">
        {isActive(scan)
          ? progressText(scan)
          : scan.progress?.failureReason || formatHostCount(scan.hostCount.scannedHosts)}
      </output>
      <SeverityCount counts={scan.issueCount} />
    </li>
  )
}

interface UnscannedTargetsProps {
  readonly targets: readonly Target[]
  /** True if nothing has been scanned yet, which makes the first button primary. */
  readonly isFirst: boolean
}
function UnscannedTargets({ targets, isFirst }: UnscannedTargetsProps) {
  const client = useQueryClient()
  const starting = useMutation(start)
  const startingAll = useMutation({ mutationFn: (ids: readonly string[]) => startManyWithToast(client, ids) })
  const more = targets.length - maxShown
  return (
    <>
      <ul aria-label="Targets" className="grid gap-2">
        {targets.slice(0, maxShown).map((target, index) => (
          <li key={target.id} className="flex items-center gap-3 rounded-md border border-line px-3 py-2">
            <span className="min-w-0 flex-1 truncate" title={target.name}>
              <span className="font-medium">{target.name}</span> <TargetAddress target={target} />
            </span>
            <Button
              size="sm"
              call="startScan"
              variant={isFirst && index === 0 ? 'primary' : 'secondary'}
              icon={<Play />}
              aria-label={`Start scan of ${target.name}`}
              loading={starting.isPending && starting.variables === target.id}
              onClick={() => starting.mutate(target.id)}
            >
              Start scan
            </Button>
          </li>
        ))}
      </ul>
      {targets.length > 1 && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <span className="text-ink-2">{more > 0 && `and ${formatNumber(more)} more`}</span>
          <Button
            size="sm"
            call="startScans"
            icon={<Play />}
            loading={startingAll.isPending}
            onClick={() => startingAll.mutate(targets.slice(0, maxStarts).map(({ id }) => id))}
          >
            Scan all {formatNumber(Math.min(targets.length, maxStarts))} targets
          </Button>
        </div>
      )}
    </>
  )
}

/** "2 High 1 Low"; renders nothing without findings. */
function SeverityCount({ counts }: { readonly counts: Scan['issueCount'] }) {
  const levels = severityLevels.filter((level) => counts[level] > 0)
  if (levels.length === 0) return null
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1 text-12">
      {levels.map((level) => (
        <span key={level} className="inline-flex items-center gap-1.5 tabular-nums">
          <SeverityGlyph level={level} />
          {formatNumber(counts[level])} {severityLabels[level]}
        </span>
      ))}
    </span>
  )
}

function isCompleted({ status }: Scan): boolean {
  return status === 'STATUS_COMPLETED'
}

function formatHostCount(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'host' : 'hosts'} scanned.`
}
