import { expect, it } from 'vitest'
import { batchCostOf, batchSizeOf } from '#scans/batch-size.ts'

it.each([
  ['', 65_536, 64, 64],
  ['22,80', 65_536, 64, 64],
  ['1-8000', 254, 8, 64],
  ['1-65535', 254, 1, 66],
  // At most 4,096 batches.
  ['1-65535', 65_536, 16, 1049],
])('ports "%s" of %i hosts: %i hosts per batch, which cost %i', (ports, hosts, size, cost) => {
  expect(batchSizeOf(ports, hosts)).toBe(size)
  expect(batchCostOf(ports, size)).toBe(cost)
})
