/** Checkboxes to select table rows. */
import type { Selection } from '#lib/selection.ts'
import { Checkbox } from '#ui/field.tsx'
import { Cell, HeaderCell } from '#ui/table.tsx'

export interface RowSelection {
  readonly selection: Selection
  /** `isRange`: Shift selects everything from the last selected row. */
  readonly onPick: (id: string, isRange: boolean) => void
  readonly onPickAll: () => void
}

/** The header checkbox: all, some, or none of the page. */
export function SelectAllCheckbox({ picking, count }: { readonly picking: RowSelection; readonly count: number }) {
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

interface RowCheckboxProps {
  readonly picking: RowSelection
  readonly id: string
  /** Accessible name of the row. */
  readonly name: string
}
/** The checkbox of a row. Hidden on phones, where rows aren't shown as a table. */
export function RowCheckbox({ picking, id, name }: RowCheckboxProps) {
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
