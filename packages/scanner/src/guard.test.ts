import { expect, it } from 'vitest'
import { createGuard } from '#guard.ts'
import { isPublicAddress } from '#ip.ts'

const guard = createGuard({
  allow: ['10.0.0.0/8', '169.254.0.0/16', '::/0'],
  deny: ['10.9.0.0/16', '10.0.0.1:5432', '[fd00::1]:80', '127.0.0.1'],
})

it.each([
  ['10.0.0.1', 80, null],
  ['::ffff:10.0.0.1', 80, null],
  ['fd00::1', 443, null],
  ['10.0.0.1', 5432, 'port 5432'],
  ['::ffff:10.0.0.1', 5432, 'port 5432'],
  ['fd00:0:0::1', 80, 'port 80'],
  ['10.9.0.1', 80, 'excluded'],
  ['64:ff9b::7f00:1', 80, 'excluded'],
  ['2002:7f00:1::1', 80, 'excluded'],
  ['11.0.0.1', 80, 'outside the target'],
  ['169.254.169.254', 80, 'metadata'],
  ['64:ff9b::a9fe:a9fe', 80, 'metadata'],
  ['fd00:ec2::254', 80, 'metadata'],
  ['::', 80, 'single host'],
  ['ff02::1', 80, 'single host'],
  ['10.0.0.1', 0, 'not a valid port'],
  ['example.com', 80, 'not an IP address'],
  ['010.0.0.1', 80, 'not an IP address'],
] as const)('SEC-C1 %s port %d: %s', (address, port, reason) => {
  const denialReason = guard.denialReason(address, port)
  if (reason === null) expect(denialReason).toBeNull()
  else expect(denialReason).toContain(reason)
})

it('throws when an entry of the scope is invalid', () => {
  expect(() => createGuard({ allow: ['10.0.0.0/8'], deny: ['10.0.0.0/99'] })).toThrow('10.0.0.0/99')
})

it.each([
  ['8.8.8.8', true],
  ['10.0.0.1', false],
  ['127.0.0.1', false],
  ['2a00:1450::1', true],
  ['64:ff9b::0a00:0001', false],
  ['::1', false],
  ['no address', false],
])('SEC-C1 isPublicAddress(%s) is %s', (address, verdict) => {
  expect(isPublicAddress(address)).toBe(verdict)
})
