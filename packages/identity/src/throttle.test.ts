import { expect, it } from 'vitest'
import { networkOf } from '#throttle.ts'

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::', 'fe80:0:0:0'],
])('maps %s to the network %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})
