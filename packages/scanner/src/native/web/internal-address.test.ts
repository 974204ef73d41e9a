import { expect, it } from 'vitest'
import { answering, runNativeChecks, tcpPeer } from '#native/testing/examine.ts'

const reply = (location: string) =>
  `HTTP/1.1 301 Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`

it.each([
  ['http://10.2.3.4/shop/', ['http-internal-address']],
  ['https://[fd00::7]:8443/shop/', ['http-internal-address']],
  ['http://93.184.216.34/shop/', []],
  ['http://10.2.3.4.example.com/shop/', []],
  ['http://127.67.3.1/shop/', []],
  ['/shop/', []],
])('judges a redirect to %s without a Host header', async (location, expected) => {
  await using peer = await tcpPeer(answering('', (text) => reply(/^host:/im.test(text) ? '/shop/' : location)))
  const { found, covered } = await runNativeChecks(peer, { protocol: 'http' }, [])
  expect(found.filter((id) => id === 'http-internal-address')).toEqual(expected)
  expect(covered).toContain('http-internal-address')
})

it('ignores an address that every client sees', async () => {
  await using peer = await tcpPeer(answering('', () => reply('/shop/').replace('301 Moved', '200 OK')))
  expect((await runNativeChecks(peer, { protocol: 'http' }, [])).found).not.toContain('http-internal-address')
})
