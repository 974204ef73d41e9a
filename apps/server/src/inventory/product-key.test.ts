import { toWfn, nameOf } from '@glacis/intelligence'
import { expect, it } from 'vitest'
import { versionOf } from '#inventory/product-key.ts'

it.each([
  ['8.9', 'p1', '8.9p1'],
  ['11.0', 'update3', '11.0 update3'],
  ['1.18.0', '*', '1.18.0'],
  ['*', '*', ''],
])('shows version %s with update %s as "%s"', (version, update, shown) => {
  const name = nameOf({ part: 'a', vendor: 'acme', product: 'box', version, update })
  expect(name && versionOf({ ...toWfn(name), version, update })).toBe(shown)
})
