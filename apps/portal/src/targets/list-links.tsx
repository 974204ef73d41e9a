/** Links that switch between the single-target form and the list form. */
import type { ReactNode } from 'react'
import { isList } from '#targets/form.ts'

interface PasteListProps {
  /** Current value of the address field. */
  readonly address: string
  /** Receives the address field's value if it is a list, to move it to the list form. */
  readonly onPress: (list: string | undefined) => void
}
export function PasteListLink({ address, onPress }: PasteListProps) {
  return <LabelLink onClick={() => onPress(isList(address) ? address : undefined)}>Paste a list</LabelLink>
}

export function SingleTargetLink({ onPress }: { readonly onPress: () => void }) {
  return <LabelLink onClick={onPress}>Add a single target</LabelLink>
}

/** Link next to a field's label. */
function LabelLink({ onClick, children }: { readonly onClick: () => void; readonly children: ReactNode }) {
  return (
    <button type="button" className="inline-link" onClick={onClick}>
      {children}
    </button>
  )
}
