import { createServer } from 'node:net'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { callbackEndpoints, callbackAddress, startCallbacks } from '#callbacks.ts'
import { CliError } from '#cli-error.ts'

describe('callbackAddress', () => {
  it.each([
    ['127.71.2.1', { publicHost: '127.71.2.1', publicPort: 80, listen: '127.71.2.1', httpPort: 80 }],
    ['192.0.2.7:8088', { publicHost: '192.0.2.7', publicPort: 8088, listen: '0.0.0.0', httpPort: 8088 }],
    ['scan.example.org:81', { publicHost: 'scan.example.org', publicPort: 81, listen: '0.0.0.0', httpPort: 81 }],
    ['2001:db8::7', { publicHost: '2001:db8::7', publicPort: 80, listen: '::', httpPort: 80 }],
    ['[2001:db8::7]:8088', { publicHost: '2001:db8::7', publicPort: 8088, listen: '::', httpPort: 8088 }],
    [
      '{"host":"192.0.2.7","domain":"calls.example.org","listen":"127.71.2.1","listenPort":8088}',
      {
        publicHost: '192.0.2.7',
        publicPort: 80,
        listen: '127.71.2.1',
        httpPort: 8088,
        domain: 'calls.example.org',
        dnsPort: 53,
      },
    ],
  ])('parses %s', (text, settings) => {
    expect(callbackAddress.parse(text)).toEqual(settings)
  })

  it.each([
    'http://scan.example.org',
    'scan.example.org:0',
    'scan.example.org:65536',
    'a:80:53',
    '{',
    '{"port":80}',
    '{"host":"192.0.2.7","dnsPort":53}',
    '{"host":"scan.example.org","domain":"calls.example.org"}',
    '{"host":"192.0.2.7","ports":80}',
  ])('rejects %s', (text) => {
    expect(callbackAddress.safeParse(text).success).toBe(false)
  })

  it('lists every address of the callback server, which scans exclude', () => {
    const settings = callbackAddress.parse(
      '{"host":"192.0.2.7","domain":"a.test","listen":"127.71.2.1","listenPort":81}',
    )
    expect(callbackEndpoints(settings)).toEqual(['127.71.2.1:81', '127.71.2.1:53', '192.0.2.7:80'])
    expect(callbackEndpoints(callbackAddress.parse('scan.example.org:81'))).toContain('127.0.0.1:81')
  })
})

it("startCallbacks explains why it can't listen", async () => {
  const other = createServer().listen(0, '127.71.2.2')
  await once(other, 'listening')
  const bound = other.address()
  const usedPort = typeof bound === 'object' && bound ? bound.port : 0
  const start = startCallbacks(callbackAddress.parse(`127.71.2.2:${usedPort}`), 'GLACIS_CALLBACKS')
  await expect(start).rejects.toThrow(
    new CliError(
      `Can't start the callback server: port ${usedPort} on 127.71.2.2 is in use. Stop the other program, or choose another port in GLACIS_CALLBACKS.`,
    ),
  )
  other.close()
})
