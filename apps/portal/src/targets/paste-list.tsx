/** The way from one target to a list of them, and back. */
import type { ReactNode } from 'react'
import { isList } from '#targets/form.ts'

interface PasteListProps {
  /** What stands in the field of one address. */
  readonly address: string
  /** With the list that was put there, if it is one: it belongs into the field for many. */
  readonly onPress: (list: string | undefined) => void
}
export function PasteList({ address, onPress }: PasteListProps) {
  return <Aside onClick={() => onPress(isList(address) ? address : undefined)}>Paste a list</Aside>
}

export function OnlyOne({ onPress }: { readonly onPress: () => void }) {
  return <Aside onClick={onPress}>Only one target</Aside>
}

/** Beside the label of a field. */
function Aside({ onClick, children }: { readonly onClick: () => void; readonly children: ReactNode }) {
  return (
    <button type="button" className="inline-link" onClick={onClick}>
      {children}
    </button>
  )
}
