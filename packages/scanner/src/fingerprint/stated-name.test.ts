import { describe, expect, it } from 'vitest'
import { statedName } from '#fingerprint/stated-name.ts'

describe('statedName', () => {
  it.each([
    ['Acme Store 4.2.1 ready\r\n> ', 'Acme Store 4.2.1'],
    ['Welcome to Acme-DB version 3.1\n', 'Acme-DB 3.1'],
    ['220 AcmeQueue/1.0.3\r\n', 'AcmeQueue 1.0.3'],
    ['+OK acmed v2.10.0-rc1\r\n', 'acmed 2.10.0-rc1'],
    ['# acme-exporter 0.9.1\n', 'acme-exporter 0.9.1'],
    ['acme-index (acmeutils) 0.18.8\n', 'acme-index 0.18.8'],
    ['{"product":"Acme Hub","id":1,"version":"5.6.7"}', 'Acme Hub 5.6.7'],
  ])('reads %j', (text, named) => {
    expect(statedName(text)).toBe(named)
  })

  it.each([
    '',
    'Protocol 2.0\n',
    'HTTP/1.1 400 Bad Request\r\n',
    'RTSP/1.0 200 OK\r\n',
    'Error 1.2.3: unknown command\n',
    'Connected to 10.0.0.1\n',
    'Welcome to web1.lab.test 192.0.2.10\n',
    'Acme 10.0.0.1.2 ready\n',
    'OpenSSL 3.0.1\n',
    '\u0000\u0001Acme Store 4.2.1',
    'uptime: 4.2 days',
    '{"version":"1.2.3"}',
  ])('ignores %j', (text) => {
    expect(statedName(text)).toBeUndefined()
  })
})
