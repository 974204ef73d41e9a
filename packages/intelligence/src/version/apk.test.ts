import { expect, it } from 'vitest'
import { compareApk } from '#version/apk.ts'

// The order that apk-tools documents, one rule per line.
it.each([
  ['1.2.3-r0', '1.2.3-r0', 0],
  ['1.2.3-r9', '1.2.3-r10', -1],
  ['1.2.3', '1.2.3-r0', -1],
  ['3.1.4-r5', '3.1.10-r0', -1],
  ['1.2', '1.2.1', -1],
  ['1.0.2k-r0', '1.0.2l-r0', -1],
  ['1.0.2', '1.0.2a', -1],
  ['9.6_p1-r0', '9.6_p2-r0', -1],
  ['9.6-r3', '9.6_p1-r0', -1],
  ['1.3_alpha', '1.3_beta1', -1],
  ['1.3_rc2-r5', '1.3-r0', -1],
  ['0.1_alpha_pre2', '0.1_alpha', -1],
  ['1.02', '1.1', -1],
  ['1.05', '1.050', 0],
  ['006', '1.0', 1],
  ['20240226-r0', '20230506-r0', 1],
  ['1.0_git20240101-r0', '1.0-r0', 1],
  ['1.0~abc123-r1', '1.0~def456-r1', 0],
])('compareApk(%s, %s) is %d', (left, right, order) => {
  expect(compareApk(left, right)).toBe(order)
  expect(compareApk(right, left)).toBe(order === 0 ? 0 : -order)
})
