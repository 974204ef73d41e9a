/** Row selection of a list: single rows, a range with Shift, or the whole page. */

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** The last row selected; a range starts there. */
  readonly anchor: string | undefined
}

export const nothingSelected: Selection = { ids: new Set(), anchor: undefined }

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
