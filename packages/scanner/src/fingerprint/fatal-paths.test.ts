import { expect, it } from 'vitest'
import { isFatalFor, isFatalPath } from '#fingerprint/fatal-paths.ts'

it.each([
  ['/api/v1/version', true],
  ['/api/v1/fs/', false],
  ['/api/v1/config', false],
  ['/api/v2/version', false],
])('knows whether %s would end Cloud Commander', (path, expected) => {
  expect(isFatalPath(path, new Set(['cloud_commander']))).toBe(expected)
  expect(isFatalPath(path, new Set(['express']))).toBe(false)
  expect(isFatalFor('<link rel=stylesheet href="/dist/cloudcmd.css">', path)).toBe(expected)
  expect(isFatalFor('<title>Shop</title>', path)).toBe(false)
})
