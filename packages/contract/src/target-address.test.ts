import { expect, it } from 'vitest'
import { targetAddress } from '#target-address.ts'

it.each([
  ['web.example', undefined, 'web.example'],
  ['127.0.0.1', '8080', '127.0.0.1:8080'],
  ['2001:db8::1', '443', '[2001:db8::1]:443'],
  ['127.0.0.1', '80,443', '127.0.0.1 (ports 80,443)'],
  ['web-1.example', '8443', 'web-1.example:8443'],
  ['192.0.2.0/28', '22', '192.0.2.0/28 (port 22)'],
  ['192.0.2.1-192.0.2.9', '22', '192.0.2.1-192.0.2.9 (port 22)'],
])('shows %s with the ports %s as %s', (address, ports, shown) => {
  expect(targetAddress({ address, ...(ports !== undefined && { ports }) })).toBe(shown)
})

it('shows the Unicode form if the server provides one', () => {
  const address = 'xn--mnchen-3ya.example'
  expect(targetAddress({ address, readableAddress: 'münchen.example', ports: '443' })).toBe('münchen.example:443')
})
