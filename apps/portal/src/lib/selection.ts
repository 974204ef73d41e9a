/** Picking rows of a list: one, a range with Shift, all of the page. */

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** The row picked last; a range begins there. */
  readonly anchor: string | undefined
}

export const nothingSelected: Selection = { ids: new Set(), anchor: undefined }

/** Picks or drops one row; with `isRange` every row from the anchor to it becomes what it becomes. */
export function pick(selection: Selection, rows: readonly string[], id: string, isRange = false): Selection {
  const ids = new Set(selection.ids)
  const isPicked = !ids.has(id)
  for (const row of isRange ? rangeOf(rows, selection.anchor ?? id, id) : [id]) {
    if (isPicked) ids.add(row)
    else ids.delete(row)
  }
  return { ids, anchor: id }
}

/** Picks all rows of the page, or drops them when all are picked. */
export function pickAll(selection: Selection, rows: readonly string[]): Selection {
  const isAll = rows.length > 0 && rows.every((row) => selection.ids.has(row))
  return { ids: new Set(isAll ? [] : rows), anchor: undefined }
}

/** Drops what is no longer among the rows: an action never reaches what is not on screen. */
export function keepShown(selection: Selection, rows: readonly string[]): Selection {
  const ids = new Set(rows.filter((row) => selection.ids.has(row)))
  return ids.size === selection.ids.size ? selection : { ids, anchor: selection.anchor }
}

function rangeOf(rows: readonly string[], from: string, to: string): readonly string[] {
  const [start, end] = [rows.indexOf(from), rows.indexOf(to)]
  return start < 0 ? [to] : rows.slice(Math.min(start, end), Math.max(start, end) + 1)
}
