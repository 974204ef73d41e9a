/** Row selection of a list: single rows, a range with Shift, or the whole page. */
import { useState } from 'react'

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** The last row selected; a range starts there. */
  readonly anchor: string | undefined
}

export const nothingSelected: Selection = { ids: new Set(), anchor: undefined }

/** The selection among the shown items of a list. */
export function useSelection<Item extends { readonly id: string }>(items: readonly Item[]) {
  const [chosen, setChosen] = useState(nothingSelected)
  const rows = items.map(({ id }) => id)
  const selection = deselectHidden(chosen, rows)
  return {
    /** In list order. */
    selected: items.filter(({ id }) => selection.ids.has(id)),
    /** Reduces the selection to these IDs. */
    keep: (ids: readonly string[]) => setChosen({ ids: new Set(ids), anchor: undefined }),
    picking: {
      selection,
      onPick: (id: string, isRange: boolean) => setChosen(toggleRow(selection, rows, id, isRange)),
      onPickAll: () => setChosen(toggleAllRows(selection, rows)),
    },
  }
}

/** Toggles one row; with `isRange`, sets all rows from the anchor to it to the same state. */
export function toggleRow(selection: Selection, rows: readonly string[], id: string, isRange = false): Selection {
  const ids = new Set(selection.ids)
  const isPicked = !ids.has(id)
  for (const row of isRange ? rangeOf(rows, selection.anchor ?? id, id) : [id]) {
    if (isPicked) ids.add(row)
    else ids.delete(row)
  }
  return { ids, anchor: id }
}

/** Selects all rows of the page, or clears the selection if all are selected. */
export function toggleAllRows(selection: Selection, rows: readonly string[]): Selection {
  const isAll = rows.length > 0 && rows.every((row) => selection.ids.has(row))
  return { ids: new Set(isAll ? [] : rows), anchor: undefined }
}

/** Deselects rows that are no longer shown, so that actions only affect visible rows. */
export function deselectHidden(selection: Selection, rows: readonly string[]): Selection {
  const ids = new Set(rows.filter((row) => selection.ids.has(row)))
  return ids.size === selection.ids.size ? selection : { ids, anchor: selection.anchor }
}

function rangeOf(rows: readonly string[], from: string, to: string): readonly string[] {
  const [start, end] = [rows.indexOf(from), rows.indexOf(to)]
  return start < 0 ? [to] : rows.slice(Math.min(start, end), Math.max(start, end) + 1)
}
