import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'

interface MoreSettingsProps {
  /** Initially open, but the user can close it. */
  readonly startsOpen: boolean
  /** Keeps the section open while it contains an error. */
  readonly mustShow: boolean
  readonly children: ReactNode
}
/** Collapsible section for settings that most targets don't need. */
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
        <span className="font-normal text-ink-3">hours, profile, ports, exclusions</span>
      </summary>
      <div className="grid gap-5 pt-4">{children}</div>
    </details>
  )
}
