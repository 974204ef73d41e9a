/** Boxes to pick the rows of a table with. */
import type { Selection } from '#lib/selection.ts'
import { Checkbox } from '#ui/field.tsx'
import { Cell, HeaderCell } from '#ui/table.tsx'

export interface Picking {
  readonly selection: Selection
  /** `isRange`: with Shift, everything from the row picked last. */
  readonly onPick: (id: string, isRange: boolean) => void
  readonly onPickAll: () => void
}

/** The head of the boxes: all of the page, some of it, or none. */
export function PickAll({ picking, count }: { readonly picking: Picking; readonly count: number }) {
  const picked = picking.selection.ids.size
  return (
    <HeaderCell className="pick">
      <Checkbox
        label="Select all on this page"
        hideLabel
        className="align-middle"
        checked={picked > 0 && picked === count}
        mixed={picked > 0 && picked < count}
        onChange={picking.onPickAll}
      />
    </HeaderCell>
  )
}

interface PickProps {
  readonly picking: Picking
  readonly id: string
  /** Names the row. */
  readonly name: string
}
/** The box of one row. A phone shows none: its rows are no table. */
export function Pick({ picking, id, name }: PickProps) {
  return (
    <Cell className="pick max-md:hidden!">
      <Checkbox
        label={`Select ${name}`}
        hideLabel
        className="-translate-y-0.5 align-middle"
        checked={picking.selection.ids.has(id)}
        onChange={(event) => picking.onPick(id, 'shiftKey' in event.nativeEvent && event.nativeEvent.shiftKey === true)}
      />
    </Cell>
  )
}
