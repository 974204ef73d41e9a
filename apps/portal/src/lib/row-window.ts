/** Which rows of a long table are drawn: those in sight and some around them. The others are room alone. */

/** A table of more rows than this draws those in sight alone. */
export const drawnMax = 120
/** Rows in a block whose heights are summed up, so that a long way is not added up row by row. */
const blockRows = 256

/** A run of rows drawn one after the other, `to` excluded, and the room above it in pixels. */
export interface Run {
  readonly from: number
  readonly to: number
  readonly above: number
}
export interface RowWindow {
  readonly runs: readonly Run[]
  /** Room below the last run, in pixels. */
  readonly below: number
}

/**
 * The height of each row in pixels. What was never drawn is taken to be as high as what was drawn
 * is on average: exact where all rows are alike, close where a phone folds each into some lines.
 */
export interface Heights {
  /** 0 for what was never drawn. */
  readonly rows: Float64Array
  readonly blockSums: Float64Array
  readonly blockCounts: Uint16Array
}

export function heightsOf(count: number): Heights {
  const blocks = Math.ceil(count / blockRows)
  return {
    rows: new Float64Array(count),
    blockSums: new Float64Array(blocks),
    blockCounts: new Uint16Array(blocks),
  }
}

/** Notes the height of a row as it was drawn. */
export function measure({ rows, blockSums, blockCounts }: Heights, row: number, height: number): void {
  const before = rows[row]
  const block = Math.floor(row / blockRows)
  if (before === undefined || height <= 0 || before === height) return
  if (before === 0) blockCounts[block] = (blockCounts[block] ?? 0) + 1
  blockSums[block] = (blockSums[block] ?? 0) + height - before
  rows[row] = height
}

export interface Sight {
  readonly top: number
  readonly bottom: number
  /** Rows that stay whatever is in sight, with their neighbours: the one that has the focus. */
  readonly held?: readonly number[]
  /** Rows to draw above and below what is in sight, so that keys and a moving page find them there. */
  readonly beyond: readonly [above: number, below: number]
}

/**
 * The rows to draw while `top` to `bottom` is in sight, in pixels from the top of the first row.
 *
 * @param estimate the height of a row before any was measured, in pixels
 */
export function windowAt(
  heights: Heights,
  { top, bottom, held = [], beyond: [before, after], estimate }: Sight & { readonly estimate: number },
): RowWindow {
  const count = heights.rows.length
  const measured = sum(heights.blockCounts)
  const usual = measured > 0 ? sum(heights.blockSums) / measured : estimate
  const first = rowAt(heights, usual, top)
  const last = rowAt(heights, usual, bottom)
  const wanted = new Set<number>()
  for (const row of held) for (const near of [row - 1, row, row + 1]) if (near >= 0 && near < count) wanted.add(near)
  for (let row = Math.max(0, first - before); row < Math.min(count, last + 1 + after); row++) wanted.add(row)
  const runs: Run[] = []
  let from = 0
  for (const row of [...wanted].toSorted((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run && run.to === row) runs[runs.length - 1] = { ...run, to: row + 1 }
    else runs.push({ from: row, to: row + 1, above: heightBetween(heights, usual, from, row) })
    from = row + 1
  }
  return { runs, below: heightBetween(heights, usual, from, count) }
}

/** True when all of `wanted` is drawn already. */
export function covers(drawn: RowWindow, wanted: RowWindow): boolean {
  return wanted.runs.every(({ from, to }) => drawn.runs.some((run) => run.from <= from && run.to >= to))
}

/** The row at `y` pixels; the first or the last beyond the ends. */
function rowAt(heights: Heights, usual: number, y: number): number {
  const { rows } = heights
  let [reached, row] = [0, 0]
  while (row + blockRows < rows.length && reached + blockHeight(heights, usual, row) <= y) {
    reached += blockHeight(heights, usual, row)
    row += blockRows
  }
  for (; row < rows.length; row++) {
    reached += rows[row] || usual
    if (reached > y) return row
  }
  return Math.max(0, rows.length - 1)
}

/** From row to row, `to` excluded, in pixels. */
function heightBetween(heights: Heights, usual: number, from: number, to: number): number {
  let height = 0
  for (let row = from; row < to;) {
    const isWhole = row % blockRows === 0 && row + blockRows <= to
    height += isWhole ? blockHeight(heights, usual, row) : heights.rows[row] || usual
    row += isWhole ? blockRows : 1
  }
  return height
}

/** The height of the whole block that begins with this row. */
function blockHeight({ blockSums, blockCounts }: Heights, usual: number, row: number): number {
  const block = row / blockRows
  return (blockSums[block] ?? 0) + (blockRows - (blockCounts[block] ?? 0)) * usual
}

function sum(values: Iterable<number>): number {
  let all = 0
  for (const value of values) all += value
  return all
}
