/** Contour lines of a made-up slope, for the ground of the screens outside the product. */

interface Line {
  /** SVG path data. */
  readonly path: string
  /** Every fifth line is an index contour, as on a map. */
  readonly isIndex: boolean
}

/** Hills and hollows: centre, radii and height. */
const shapes: readonly (readonly [x: number, y: number, rx: number, ry: number, height: number])[] = [
  [660, 280, 190, 230, 1.25],
  [40, 270, 130, 130, 0.34],
  [470, 610, 170, 150, 0.3],
  [860, 800, 190, 160, 0.8],
  [180, 900, 240, 200, -0.3],
  [300, 40, 240, 220, -0.22],
]

function heightAt(x: number, y: number): number {
  let height = x / 900 - y / 5200 + 0.13 * Math.sin(y / 150 + x / 310) + 0.07 * Math.cos(y / 83 - x / 140)
  for (const [cx, cy, rx, ry, rise] of shapes) {
    height += rise * Math.exp(-(((x - cx) / rx) ** 2) - ((y - cy) / ry) ** 2)
  }
  return height
}

/**
 * The lines of equal height in a field of this size, by marching squares.
 *
 * @param cell side of a square, in the units of the field; smaller is smoother and slower
 */
export function contours(width: number, height: number, { cell = 9, step = 0.085 } = {}): readonly Line[] {
  const columns = Math.ceil(width / cell) + 1
  const rows = Math.ceil(height / cell) + 1
  const field = Float64Array.from({ length: columns * rows }, (_, i) =>
    heightAt((i % columns) * cell, Math.floor(i / columns) * cell),
  )
  const lowest = Math.ceil(field.reduce((a, b) => Math.min(a, b)) / step)
  const highest = Math.floor(field.reduce((a, b) => Math.max(a, b)) / step)
  return Array.from({ length: highest - lowest + 1 }, (_, i) => ({
    path: contour(field, columns, rows, cell, (lowest + i + 0.5) * step),
    isIndex: (lowest + i) % 5 === 0,
  }))
}

function contour(field: Float64Array, columns: number, rows: number, cell: number, level: number): string {
  const parts: string[] = []
  for (let row = 0; row < rows - 1; row++) {
    for (let column = 0; column < columns - 1; column++) {
      const at = row * columns + column
      const corners = [field[at], field[at + 1], field[at + columns + 1], field[at + columns]] as number[]
      const points = crossings(corners, level).map(
        ([x, y]) => `${((column + x) * cell).toFixed(1)} ${((row + y) * cell).toFixed(1)}`,
      )
      for (let i = 0; i + 1 < points.length; i += 2) parts.push(`M${points[i]}L${points[i + 1]}`)
    }
  }
  return parts.join('')
}

/** Where a level crosses the sides of a unit square, whose corners go clockwise from the top left. */
function crossings([a = 0, b = 0, c = 0, d = 0]: readonly number[], level: number): [number, number][] {
  const points: [number, number][] = []
  const part = (from: number, to: number) => (level - from) / (to - from)
  if (a < level !== b < level) points.push([part(a, b), 0])
  if (b < level !== c < level) points.push([1, part(b, c)])
  if (d < level !== c < level) points.push([part(d, c), 1])
  if (a < level !== d < level) points.push([0, part(a, d)])
  return points
}
