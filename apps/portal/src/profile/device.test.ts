import { describe, expect, it } from 'vitest'
import { deviceOf, hostOf, maxUserAgentLength } from '#profile/device.ts'

it.each([
  ['198.51.100.7:53122', '198.51.100.7'],
  ['198.51.100.7', '198.51.100.7'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['', ''],
])('strips %s to %s', (address, host) => {
  expect(hostOf(address)).toBe(host)
})

const firefox = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:130.0) Gecko/20100101 Firefox/130.0'
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'

describe('deviceOf', () => {
  it.each([
    [firefox, 'macOS', 'Firefox', 'desktop'],
    [iphone, 'iOS', 'Safari', 'mobile'],
    ['', 'Unknown system', 'unknown browser', 'desktop'],
  ])('parses user agent %# as %s', (user_agent, system, browser, kind) => {
    expect(deviceOf({ devices: [{ ip_address: '', user_agent }] })).toEqual({ host: '', system, browser, kind })
  })

  it('uses only the first device', () => {
    const devices = [firefox, iphone].map((user_agent) => ({ ip_address: '', user_agent }))
    expect(deviceOf({ devices }).browser).toBe('Firefox')
  })

  it('parses at most 500 characters of the user agent', () => {
    const long = `${'x'.repeat(maxUserAgentLength)} ${firefox}`
    expect([deviceOf({ devices: [{ ip_address: '', user_agent: long }] }).browser, maxUserAgentLength]).toEqual([
      'unknown browser',
      500,
    ])
  })

  it('handles a session without devices', () => {
    expect(deviceOf({ devices: [] })).toMatchObject({ host: '', kind: 'desktop' })
  })
})
