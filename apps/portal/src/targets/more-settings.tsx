import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'

interface MoreSettingsProps {
  /** Something is set; a person may close it. */
  readonly startsOpen: boolean
  /** Something is wrong in it. */
  readonly mustShow: boolean
  readonly children: ReactNode
}
/** What most targets need not be told, behind one line. */
export function MoreSettings({ startsOpen, mustShow, children }: MoreSettingsProps) {
  const [isOpen, setIsOpen] = useState(startsOpen)
  return (
    <details
      open={mustShow || isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="group border-t border-line pt-4"
    >
      <summary className="flex cursor-pointer list-none items-center gap-2 rounded-[4px] font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight className="size-4 text-ink-3 transition-transform group-open:rotate-90" aria-hidden="true" />
        More settings
        <span className="font-normal text-ink-3">hours, pace, ports, exclusions</span>
      </summary>
      <div className="grid gap-5 pt-4">{children}</div>
    </details>
  )
}
