/** What every part of the layout stands on. */

/** The constants of the specification; what it does not name is d3-force's default. */
export const layoutConstants = {
  ticks: 100,
  chargeStrength: -80,
  collisionRadius: 8,
  alphaDecay: 0.03,
  velocityDecay: 0.6,
  linkDistance: 30,
  theta: 0.9,
} as const

export interface Springs {
  readonly source: Int32Array
  readonly target: Int32Array
}

export interface Layout {
  readonly x: Float64Array
  readonly y: Float64Array
}

/**
 * A number of an array that is known to be as long. For each kind of array a function of its own: one for both would
 * ask at every reading which kind it has before it, and reading is most of what a layout does.
 */
export function at(values: Float64Array, index: number): number {
  return values[index] as number // typed arrays hold a number at every index below their length
}

/** As `at`, of whole numbers. */
export function wholeAt(values: Int32Array, index: number): number {
  return values[index] as number // as above
}
