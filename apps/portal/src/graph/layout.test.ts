import { describe, expect, it } from 'vitest'
import type { Point } from '#graph/camera.ts'
import { centerOfLargestCluster, computeLayout, layoutConstants } from '#graph/layout.ts'

const star = Array.from({ length: 20 }, (_, index) => ({ source: 0, target: index + 1 }))
const distance = (a: Point | undefined, b: Point | undefined) =>
  a && b ? Math.hypot(a.x - b.x, a.y - b.y) : Number.NaN

it('uses the constants of the specification', () => {
  expect(layoutConstants).toEqual({ ticks: 100, chargeStrength: -80, collisionRadius: 8, alphaDecay: 0.03 })
})

describe('layOut', () => {
  it('is deterministic', () => {
    expect(computeLayout(21, star)).toEqual(computeLayout(21, star))
  })

  it('keeps nodes apart and leaves the links unchanged', () => {
    const points = computeLayout(21, star)
    expect(star[0]).toEqual({ source: 0, target: 1 })
    for (const [index, point] of points.entries()) {
      for (const other of points.slice(index + 1)) {
        expect(distance(point, other)).toBeGreaterThan(layoutConstants.collisionRadius)
      }
    }
  })

  it.each([0, 1, 2])('accepts %i nodes', (count) => {
    const points = computeLayout(count, [])
    expect(points).toHaveLength(count)
    expect(points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true)
  })
})

describe('centerOfLargestCluster', () => {
  const row = (...xs: number[]) => xs.map((x) => ({ x, y: 0 }))
  it.each([
    ['joins nodes closer than 100, through other nodes too', row(0, 500, 99, 560, 198, 5000), 99],
    ['separates nodes at exactly 100', row(0, 100), 0],
    ['is the origin without nodes', [], 0],
  ])('%s', (_, points, x) => {
    expect(centerOfLargestCluster(points)).toEqual({ x, y: 0 })
  })
})
