/** A scan that waits for the allowed hours of its target, and the way to not wait. */
import type { Scan } from '@glacis/contract/scan'
import { Clock } from 'lucide-react'
import { useState } from 'react'
import { formatDateTime } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Note } from '#ui/note.tsx'
import { AheadTime } from '#ui/relative-time.tsx'

interface ScanWaitProps {
  readonly scan: Pick<Scan, 'status' | 'progress'>
  readonly isPending: boolean
  /** A person has confirmed that it may go on outside the hours. */
  readonly onGoOn: () => void
}

/** Nothing while the scan does not wait for its hours. */
export function ScanWait({ scan, isPending, onGoOn }: ScanWaitProps) {
  const [isAsking, setIsAsking] = useState(false)
  const { failureReason, resumeTime } = scan.progress ?? {}
  if (!resumeTime) return null
  const isBegun = scan.status === 'STATUS_RUNNING'
  const verb = isBegun ? 'Go on now' : 'Start now'
  return (
    <Note icon={<Clock aria-hidden="true" />}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span>
          {isBegun && 'Paused. '}
          {failureReason}. It {isBegun ? 'goes on' : 'begins'} <AheadTime value={resumeTime} />.
        </span>
        <Button size="xs" onClick={() => setIsAsking(true)}>
          {verb}
        </Button>
      </div>
      <Dialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        busy={isPending}
        title={`${isBegun ? 'Go on' : 'Start'} outside the allowed hours`}
        description={`It would wait until ${formatDateTime(resumeTime)}. If it goes on now, it runs to its end whatever the hour.`}
        footer={
          <>
            <Button disabled={isPending} onClick={() => setIsAsking(false)}>
              Keep waiting
            </Button>
            <Button variant="primary" loading={isPending} onClick={onGoOn}>
              {verb}
            </Button>
          </>
        }
      />
    </Note>
  )
}
