/** A note on a scan that waits for its target's allowed hours, with a button to override. */
import type { Scan } from '@glacis/contract/scan'
import { Clock } from 'lucide-react'
import { useState } from 'react'
import { formatDateTime } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Note } from '#ui/note.tsx'
import { TimeUntil } from '#ui/relative-time.tsx'

interface ScanWaitNoteProps {
  readonly scan: Pick<Scan, 'status' | 'progress'>
  readonly isPending: boolean
  /** Called when the user confirms scanning outside the allowed hours. */
  readonly onOverride: () => void
}

/** Renders nothing unless the scan waits for its allowed hours. */
export function ScanWaitNote({ scan, isPending, onOverride }: ScanWaitNoteProps) {
  const [isAsking, setIsAsking] = useState(false)
  const { failureReason, resumeTime } = scan.progress ?? {}
  if (!resumeTime) return null
  const isStarted = scan.status === 'STATUS_RUNNING'
  const verb = isStarted ? 'Resume now' : 'Start now'
  return (
    <Note icon={<Clock aria-hidden="true" />}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span>
          {isStarted && 'Paused. '}
          {failureReason}. It {isStarted ? 'resumes' : 'starts'} <TimeUntil value={resumeTime} />.
        </span>
        <Button size="xs" call="resumeScan" onClick={() => setIsAsking(true)}>
          {verb}
        </Button>
      </div>
      <Dialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        busy={isPending}
        title={`${isStarted ? 'Resume' : 'Start'} outside the allowed hours`}
        description={`Otherwise, the scan waits until ${formatDateTime(resumeTime)}. If you ${isStarted ? 'resume' : 'start'} it now, it runs to completion regardless of the allowed hours.`}
        footer={
          <>
            <Button disabled={isPending} onClick={() => setIsAsking(false)}>
              Keep waiting
            </Button>
            <Button variant="primary" loading={isPending} onClick={onOverride}>
              {verb}
            </Button>
          </>
        }
      />
    </Note>
  )
}
