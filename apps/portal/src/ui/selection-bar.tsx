import { X } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { restoreFocus } from '#lib/focus.ts'
import { Button } from '#ui/button.tsx'

interface SelectionBarProps {
  /** Accessible name: "Selected risks". */
  readonly label: string
  /** The count: "3 selected". */
  readonly summary: ReactNode
  /** Actions on the selected rows. */
  readonly children: ReactNode
  /** Clears the selection. Without it, the actions include a button for that. */
  readonly onClear?: () => void
}

/**
 * Replaces the filter bar while rows are selected. An action that clears the selection also removes the bar; focus
 * then moves to the page title.
 */
export function SelectionBar({ label, summary, children, onClear }: SelectionBarProps) {
  useEffect(() => () => restoreFocus(), [])
  return (
    <fieldset
      aria-label={label}
      className="relative z-1 -mb-px flex min-h-[52px] min-w-0 flex-wrap items-center gap-2 border-b border-main-edge bg-selected px-(--gl-gutter) py-2.5"
    >
      <b className="font-semibold" aria-live="polite">
        {summary}
      </b>
      <span className="mx-1 h-5 w-px bg-main-edge" aria-hidden="true" />
      {children}
      {onClear && (
        <span className="ml-auto">
          <Button size="sm" variant="ghost" icon={<X />} onClick={onClear}>
            Clear
          </Button>
        </span>
      )}
    </fieldset>
  )
}
