import { type ReactNode, useEffect } from 'react'
import { regainFocus } from '#lib/focus.ts'

interface PickedBarProps {
  /** What is picked, for those who cannot see the table: "Selected risks". */
  readonly label: string
  /** How many: "3 selected". */
  readonly words: ReactNode
  /** What can be done with all of them. */
  readonly children: ReactNode
}

/**
 * Stands in the place of the filters while rows are picked. It goes with what is pressed in it; the focus goes to the
 * title of the page then.
 */
export function PickedBar({ label, words, children }: PickedBarProps) {
  useEffect(() => () => regainFocus(), [])
  return (
    <fieldset
      aria-label={label}
      className="relative z-1 -mb-px flex min-h-[52px] min-w-0 flex-wrap items-center gap-2 border-b border-main-edge bg-selected px-(--gl-gutter) py-2.5"
    >
      <b className="font-semibold" aria-live="polite">
        {words}
      </b>
      <span className="mx-1 h-5 w-px bg-main-edge" aria-hidden="true" />
      {children}
    </fieldset>
  )
}
