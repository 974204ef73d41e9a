import { describe, expect, it } from 'vitest'
import { expand, isProblem, parseAddress, type ScanAddress } from '#address.ts'

function understood(text: string): ScanAddress {
  const outcome = parseAddress(text)
  if (isProblem(outcome)) throw new Error(outcome.problem)
  return outcome
}

describe('parseAddress', () => {
  it('rejects a URL that is too long once it is encoded', () => {
    expect(isProblem(parseAddress(`https://example.com/${'a'.repeat(1000)}`))).toBe(false)
    expect(isProblem(parseAddress(`https://example.com/${'ü'.repeat(1000)}`))).toBe(true)
  })

  it('rejects a name that is a range or a number once invisible and wide characters are mapped', () => {
    for (const text of ['\u200b192.0.2.1-e.com20', '192.0.2.1\u00ad-x.example', '１９２.0.2.1-9a', 'a.０x1'])
      expect([text, isProblem(parseAddress(text))]).toEqual([text, true])
  })

  it.each([
    ['example.com', 'HOST_NAME', 'example.com', 1, false],
    [' Example.COM. ', 'HOST_NAME', 'example.com', 1, false],
    ['bücher.example', 'HOST_NAME', 'xn--bcher-kva.example', 1, false],
    ['_sip.lab-1.example', 'HOST_NAME', '_sip.lab-1.example', 1, false],
    ['intranet', 'HOST_NAME', 'intranet', 1, false],
    ['localhost', 'HOST_NAME', 'localhost', 1, true],
    ['10-0-0-1.lab', 'HOST_NAME', '10-0-0-1.lab', 1, false],
    ['93.184.216.34', 'IPV4', '93.184.216.34', 1, false],
    ['127.0.0.1', 'IPV4', '127.0.0.1', 1, true],
    ['100.64.0.1', 'IPV4', '100.64.0.1', 1, true],
    ['2001:DB8:0:0:1:0:0:1', 'IPV6', '2001:db8::1:0:0:1', 1, true],
    ['[2a00:1450:4001::200e]', 'IPV6', '2a00:1450:4001::200e', 1, false],
    ['::1', 'IPV6', '::1', 1, true],
    ['::ffff:10.1.2.3', 'IPV4', '10.1.2.3', 1, true],
    ['10.0.0.77/24', 'CIDR', '10.0.0.0/24', 254, true],
    ['10.0.0.4/31', 'CIDR', '10.0.0.4/31', 2, true],
    ['10.0.0.4/32', 'CIDR', '10.0.0.4/32', 1, true],
    ['8.8.0.0/16', 'CIDR', '8.8.0.0/16', 65_534, false],
    ['2001:4860::/112', 'CIDR', '2001:4860::/112', 65_536, false],
    ['10.0.0.1-10.0.0.20', 'RANGE', '10.0.0.1-10.0.0.20', 20, true],
    ['10.0.0.1-20', 'RANGE', '10.0.0.1-10.0.0.20', 20, true],
    ['fd00::1-fd00::a', 'RANGE', 'fd00::1-fd00::a', 10, true],
    ['HTTPS://Example.com', 'URL', 'https://example.com/', 1, false],
    ['http://10.0.0.1:80/a/../b?q=1#top', 'URL', 'http://10.0.0.1/a/../b', 1, true],
    ['https://[fd00::1]:8443/x', 'URL', 'https://[fd00::1]:8443/x', 1, true],
  ] as const)('understands %s', (text, kind, normal, hostCount, isPrivate) => {
    expect(understood(text)).toMatchObject({ kind, text: normal, hostCount, isPrivate })
  })

  it.each([
    ['', 'Nothing was entered'],
    ['foo bar', 'contains a space'],
    ['a\u0000b.example', 'control character'],
    ['010.0.0.1', 'not an IPv4 address'],
    ['127.1', 'not an IPv4 address'],
    ['2130706433', 'not an IPv4 address'],
    ['0x7f000001', 'not an IPv4 address'],
    ['127.0.0.0x1', 'not an IPv4 address'],
    ['10.0.0.256', 'not an IPv4 address'],
    ['１２７.1', 'not an IPv4 address'],
    ['１２７.０.０.１', 'not a hostname'],
    ['fe80::1%eth0', 'network interface'],
    ['127.0.0.3:99999', '99999 is not a port. Ports are numbers from 1 to 65535.'],
    ['shop.example:0', '0 is not a port. Ports are numbers from 1 to 65535.'],
    ['1:2:3:4:5:6:7:8:9', 'not an IPv6 address'],
    ['1::2::3', 'not an IPv6 address'],
    ['example.com:8443', 'https://example.com:8443'],
    ['*.example.com', 'wildcard'],
    ['me@example.com', 'email'],
    ['a.example,b.example', 'comma'],
    ['-a.example', 'not a hostname'],
    ['a..example', 'not a hostname'],
    [`${'a'.repeat(64)}.example`, 'too long'],
    ['example.com/path', 'http:// or https://'],
    ['10.0.0.0/33', 'between 0 and 32'],
    ['10.0.0.0/', 'between 0 and 32'],
    ['10.0.0.0/15', 'more than 65,536'],
    ['2001:4860::/64', 'more than 65,536'],
    ['10.0.0.20-10', 'ends before it begins'],
    ['10.0.0.1-::1', 'not a range'],
    ['10.0.0.1-10.0.0.2-10.0.0.3', 'not a range'],
    ['ftp://example.com', 'Only http and https'],
    ['http://user:pw@example.com/', 'username and password'],
    ['http:///x', 'has no host'],
    ['http://example.com:0/', 'not a port'],
    ['http://example.com:99999/', 'not a port'],
    ['http://0x7f.1/', 'not an IPv4 address'],
    ['169.254.169.254', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['::ffff:169.254.169.254', 'metadata'],
    ['64:ff9b::a9fe:a9fe', 'metadata'],
    ['http://192.0.0.192/', 'metadata'],
    ['0.0.0.0', 'single host'],
    ['239.1.2.0/24', 'single host'],
  ])('rejects %j with an explanation', (text, part) => {
    const outcome = parseAddress(text)
    expect(isProblem(outcome) && outcome.problem).toContain(part)
  })

  it.each([
    'a b',
    'a@',
    '*.',
    'a,',
    'a..',
    'x/',
    '1.1.1.1/9',
    '1.1.1.1-',
    'a%:',
    '::',
    'h:1',
    'ftp',
    'http://h:9',
    'http://',
    '9.9.9.',
  ])('shortens long input that starts with %j in the middle', (start) => {
    const long = `${start}${'1'.repeat(1900)}`
    const outcome = parseAddress(start === 'ftp' ? `${long}://h` : start === 'h:1' ? `${'h'.repeat(900)}:80` : long)
    const problem = isProblem(outcome) ? outcome.problem : ''
    expect([problem.length < 200, problem.includes('…')]).toEqual([true, true])
  })

  it('quotes short input in full', () => {
    const outcome = parseAddress(`${'a'.repeat(40)} ${'b'.repeat(19)}`)
    expect(outcome).toEqual({ problem: `'${'a'.repeat(40)} ${'b'.repeat(19)}' contains a space.` })
  })

  it('is idempotent on normalized text', () => {
    for (const text of ['10.0.0.77/24', 'http://EXAMPLE.com:8080/ä', '2001:DB8::1', '10.0.0.1-20', 'Bücher.example']) {
      const once = understood(text)
      expect(understood(once.text)).toEqual(once)
    }
  })

  it('splits a URL into host, port, and unmodified path', () => {
    expect(understood('https://[fd00::1]/a/%2e%2e//b')).toMatchObject({
      host: 'fd00::1',
      url: { tls: true, port: 443, path: '/a/%2e%2e//b' },
    })
  })
})

describe('expand', () => {
  it.each([
    ['10.0.0.9/30', ['10.0.0.9', '10.0.0.10']],
    ['10.0.0.8/31', ['10.0.0.8', '10.0.0.9']],
    ['10.0.0.254-10.0.1.1', ['10.0.0.254', '10.0.0.255', '10.0.1.0', '10.0.1.1']],
    ['fd00::/127', ['fd00::', 'fd00::1']],
    ['http://10.0.0.1/', ['10.0.0.1']],
    ['example.com', []],
  ])('%s', (text, addresses) => {
    expect([...expand(understood(text))]).toEqual(addresses)
  })

  it('yields as many addresses as hostCount', () => {
    for (const text of ['10.0.0.0/20', '10.0.0.0/32', 'fd00::/120', '10.0.0.1-99']) {
      const address = understood(text)
      expect([...expand(address)]).toHaveLength(address.hostCount)
    }
  })
})
