/** The third step: the first scan, how far it has come and what it found. */
import type { Scan } from '@glacis/contract/scan'
import type { Target } from '@glacis/contract/target'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { formatNumber } from '#lib/format.ts'
import type { WayOn } from '#onboarding/onboarding.tsx'
import { SeverityCount } from '#onboarding/severity-count.tsx'
import { Address } from '#onboarding/address.tsx'
import { StepHead, useStepFocus } from '#onboarding/step-head.tsx'
import { isActive, list, start, startManyAndTell, startsMax } from '#scans/queries.ts'
import { all } from '#targets/queries.ts'
import { Button } from '#ui/button.tsx'
import { progressWords, ScanProgressBar } from '#ui/charts/scan-progress.tsx'
import { Note } from '#ui/note.tsx'
import { ScanStatus } from '#ui/status.tsx'

/** Of targets, and of scans. */
const shownMax = 5

export function ScanStep({ wayOn }: { readonly wayOn: WayOn }) {
  const scans = useQuery(list({ pageSize: 25 })).data?.scans
  const targets = useQuery(all()).data?.targets
  const isRunning = scans?.some(isActive) ?? false
  const isScanned = scans?.some(isCompleted) ?? false
  // One that was scanned, or is, is not what there is to do next; one whose scan failed is.
  const settled = new Set(scans?.filter((scan) => isActive(scan) || isCompleted(scan)).map(({ target }) => target?.id))
  const waiting = scans && targets?.filter(({ id }) => !settled.has(id))
  // A target whose scan has been started leaves its row, and the button with it.
  useStepFocus(waiting?.map(({ id }) => id).join(' '))
  return (
    <>
      <StepHead of="SCAN" />
      {targets?.length === 0 && <p className="text-ink-2">There is no target yet; the first step adds one.</p>}
      {scans && scans.length > 0 && (
        <ul aria-label="Scans" className="grid gap-4">
          {scans.slice(0, shownMax).map((scan) => (
            <ScanLine key={scan.id} scan={scan} />
          ))}
        </ul>
      )}
      {isRunning && (
        <Note>
          <p>The scan goes on by itself; you need not wait for it here.</p>
        </Note>
      )}
      {waiting && waiting.length > 0 && <Waiting targets={waiting} isFirst={!isRunning && !isScanned} />}
      {wayOn({ isReady: isRunning || isScanned })}
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
        {isActive(scan) ? progressWords(scan) : scan.progress?.failureReason || hostWords(scan.hostCount.scannedHosts)}
      </output>
      <SeverityCount counts={scan.issueCount} />
    </li>
  )
}

interface WaitingProps {
  readonly targets: readonly Target[]
  /** Nothing has been scanned yet, so that this is what the page is for. */
  readonly isFirst: boolean
}
function Waiting({ targets, isFirst }: WaitingProps) {
  const client = useQueryClient()
  const starting = useMutation(start(client))
  const startingAll = useMutation({ mutationFn: (ids: readonly string[]) => startManyAndTell(client, ids) })
  const more = targets.length - shownMax
  return (
    <>
      <ul aria-label="Targets" className="grid gap-2">
        {targets.slice(0, shownMax).map(({ id, name, address, readableAddress }, index) => (
          <li key={id} className="flex items-center gap-3 rounded-md border border-line px-3 py-2">
            <span className="min-w-0 flex-1 truncate" title={name}>
              <span className="font-medium">{name}</span> <Address {...{ name, address, readableAddress }} />
            </span>
            <Button
              size="sm"
              variant={isFirst && index === 0 ? 'primary' : 'secondary'}
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
      {targets.length > 1 && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <span className="text-ink-2">{more > 0 && `and ${formatNumber(more)} more`}</span>
          <Button
            size="sm"
            icon={<Play />}
            loading={startingAll.isPending}
            onClick={() => startingAll.mutate(targets.slice(0, startsMax).map(({ id }) => id))}
          >
            Scan all {formatNumber(Math.min(targets.length, startsMax))} targets
          </Button>
        </div>
      )}
    </>
  )
}

function isCompleted({ status }: Scan): boolean {
  return status === 'STATUS_COMPLETED'
}

function hostWords(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'host' : 'hosts'} scanned.`
}
