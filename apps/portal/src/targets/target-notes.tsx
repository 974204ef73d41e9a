/** What keeps a target from being scanned, above everything else about it. */
import type { Scan } from '@glacis/contract/scan'
import type { Target } from '@glacis/contract/target'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pause } from 'lucide-react'
import type { ReactNode } from 'react'
import { addToast } from '#lib/toasts.ts'
import { resume, start, startedWords } from '#scans/queries.ts'
import { update } from '#targets/queries.ts'
import { shownAddress } from '#targets/words.ts'
import { Button } from '#ui/button.tsx'
import { Note } from '#ui/note.tsx'
import { AbsoluteTime, RelativeTime } from '#ui/relative-time.tsx'
import { ScanWait } from '#ui/scan-wait.tsx'

interface TargetNotesProps {
  readonly target: Target
  /** The scan under way. */
  readonly scan: Scan | undefined
}

/** Nothing while all is well. */
export function TargetNotes({ target, scan }: TargetNotesProps) {
  const resuming = useMutation(resume(useQueryClient()))
  const { pauseTime, unresolvedSinceTime, lastScan } = target
  const hasFailed = !scan && lastScan?.status === 'STATUS_FAILED'
  if (!pauseTime && !unresolvedSinceTime && !hasFailed && !scan?.progress?.resumeTime) return null
  return (
    <div className="grid gap-2 px-(--gl-gutter) pt-3">
      {pauseTime && <Paused target={target} since={pauseTime} />}
      {scan && <ScanWait scan={scan} isPending={resuming.isPending} onGoOn={() => resuming.mutate(scan.id)} />}
      {unresolvedSinceTime ? (
        <Said variant="orange">
          <strong className="font-semibold">{shownAddress(target)} no longer resolves</strong>, since{' '}
          <AbsoluteTime value={unresolvedSinceTime} />. Scans of it fail until its name is found again.
        </Said>
      ) : (
        hasFailed && <Failed target={target} lastScan={lastScan} />
      )}
    </div>
  )
}

function Said({ variant, children }: { readonly variant: 'orange' | 'red'; readonly children: ReactNode }) {
  return <Note variant={variant}>{children}</Note>
}

function Paused({ target, since }: { readonly target: Target; readonly since: string }) {
  const changing = useMutation(update(useQueryClient()))
  const tags = target.tags.map(({ id }) => ({ id }))
  const goOn = () => changing.mutate({ id: target.id, paused: false, tags, updateMask: { paths: ['paused'] } })
  return (
    <Note variant="gray" icon={<Pause aria-hidden="true" />}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span>
          Paused <RelativeTime value={since} />. It is not scanned and takes no place in the plan.
        </span>
        <Button size="xs" loading={changing.isPending} onClick={goOn}>
          Resume
        </Button>
      </div>
    </Note>
  )
}

function Failed({ target, lastScan }: { readonly target: Target; readonly lastScan: NonNullable<Target['lastScan']> }) {
  const starting = useMutation(start(useQueryClient()))
  const again = () =>
    starting.mutate(target.id, {
      onSuccess: ({ scan }) => addToast('success', { title: 'Success', message: startedWords(scan) }),
    })
  return (
    <Said variant="red">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span>
          <Link to="/scans/$id" params={{ id: lastScan.id }} className="font-semibold underline underline-offset-3">
            The last scan failed
          </Link>
          {lastScan.reason && `: ${lastScan.reason}`}
        </span>
        <Button size="xs" loading={starting.isPending} disabled={target.pauseTime !== undefined} onClick={again}>
          Try again
        </Button>
      </div>
    </Said>
  )
}
