/** Notices about anything that keeps a target from being scanned. */
import type { Scan } from '@glacis/contract/scan'
import type { Target } from '@glacis/contract/target'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pause } from 'lucide-react'
import type { ReactNode } from 'react'
import { addToast } from '#ui/toasts.tsx'
import { resume, start, startedMessage } from '#scans/queries.ts'
import { update } from '#targets/queries.ts'
import { Button } from '#ui/button.tsx'
import { Note } from '#ui/note.tsx'
import { AbsoluteTime, RelativeTime } from '#ui/relative-time.tsx'
import { ScanWaitNote } from '#ui/scan-wait-note.tsx'

interface TargetNotesProps {
  readonly target: Target
  /** The active scan. */
  readonly scan: Scan | undefined
}

/** Renders nothing if there's nothing to report. */
export function TargetNotes({ target, scan }: TargetNotesProps) {
  const resuming = useMutation(resume)
  const { pauseTime, unresolvedSinceTime, lastScan } = target
  const hasFailed = !scan && lastScan?.status === 'STATUS_FAILED'
  if (!pauseTime && !unresolvedSinceTime && !hasFailed && !scan?.progress?.resumeTime) return null
  return (
    <div className="grid gap-2 px-(--gl-gutter) pt-3">
      {pauseTime && <PausedNote target={target} since={pauseTime} />}
      {scan && <ScanWaitNote scan={scan} isPending={resuming.isPending} onOverride={() => resuming.mutate(scan.id)} />}
      {unresolvedSinceTime ? (
        <TargetNote variant="orange">
          <strong className="font-semibold">{target.readableAddress ?? target.address} no longer resolves</strong>,
          since <AbsoluteTime value={unresolvedSinceTime} />. Scans fail until the name resolves again.
        </TargetNote>
      ) : (
        hasFailed && <FailedNote target={target} lastScan={lastScan} />
      )}
    </div>
  )
}

function TargetNote({ variant, children }: { readonly variant: 'orange' | 'red'; readonly children: ReactNode }) {
  return <Note variant={variant}>{children}</Note>
}

function PausedNote({ target, since }: { readonly target: Target; readonly since: string }) {
  const updateMutation = useMutation(update)
  const tags = target.tags.map(({ id }) => ({ id }))
  const resumeTarget = () =>
    updateMutation.mutate({ id: target.id, paused: false, tags, updateMask: { paths: ['paused'] } })
  return (
    <Note variant="gray" icon={<Pause aria-hidden="true" />}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span>
          Paused <RelativeTime value={since} />. It isn't scanned and doesn't count toward your plan.
        </span>
        <Button size="xs" call="updateTarget" loading={updateMutation.isPending} onClick={resumeTarget}>
          Resume
        </Button>
      </div>
    </Note>
  )
}

function FailedNote({
  target,
  lastScan,
}: {
  readonly target: Target
  readonly lastScan: NonNullable<Target['lastScan']>
}) {
  const starting = useMutation(start)
  const again = () =>
    starting.mutate(target.id, {
      onSuccess: ({ scan }) => addToast('success', { title: 'Success', message: startedMessage(scan) }),
    })
  return (
    <TargetNote variant="red">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span>
          <Link to="/scans/$id" params={{ id: lastScan.id }} className="font-semibold underline underline-offset-3">
            The last scan failed
          </Link>
          {lastScan.reason && `: ${lastScan.reason}`}
        </span>
        <Button
          size="xs"
          call="startScan"
          loading={starting.isPending}
          disabled={target.pauseTime !== undefined}
          onClick={again}
        >
          Try again
        </Button>
      </div>
    </TargetNote>
  )
}
