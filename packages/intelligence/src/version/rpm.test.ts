import { expect, it } from 'vitest'
import { compareRpm } from '#version/rpm.ts'

// Order defined by rpm-version(7), with examples from rpm's test suite.
it.each([
  ['1.0', '1.0', 0],
  ['1.0', '2.0', -1],
  ['2.0.1', '2.0', 1],
  ['2.0.1a', '2.0.1', 1],
  ['5.5p1', '5.5p2', -1],
  ['5.5p10', '5.5p1', 1],
  ['10xyz', '10.1xyz', -1],
  ['xyz10', 'xyz10.1', -1],
  ['xyz.4', '8', -1],
  ['5.5p2', '5.6p1', -1],
  ['6.0.rc1', '6.0', 1],
  ['1.0~rc1', '1.0', -1],
  ['1.0~rc1', '1.0~rc2', -1],
  ['1.0^git1', '1.0', 1],
  ['1.0^git1', '1.01', -1],
  ['1.0~rc1^git1', '1.0~rc1', 1],
  ['1_0', '1.0', 0],
  ['001', '1', 0],
  ['1:1.0-1', '2.0-1', 1],
  ['8.7p1-38.el9', '8.7p1-38.el9_4.1', -1],
  ['8.7p1-38.el9_4.4', '8.7p1-38.el9_4.1', 1],
  ['8.7p1', '8.7p1-38.el9', 0],
])('compareRpm(%s, %s) is %d', (left, right, order) => {
  expect(compareRpm(left, right)).toBe(order)
  expect(compareRpm(right, left)).toBe(order === 0 ? 0 : -order)
})
