import { describe, expect, it } from 'vitest'
import { identifyBanner } from '#fingerprint/banner.ts'
import { probes } from '#fingerprint/probes.ts'
import { isWeb } from '#fingerprint/responses.ts'

function probe(protocol: string) {
  const match = probes.find((probe) => probe.protocol === protocol)
  if (!match) throw new Error(`no probe for ${protocol}`)
  return match
}
const requestOf = (protocol: string) => Buffer.from(probe(protocol).request)

describe('identifyBanner', () => {
  it.each([
    ['SSH-2.0-OpenSSH_9.9\r\n', 22, 'ssh', 'OpenSSH_9.9'],
    ['220 (vsFTPd 3.0.3)\r\n', 2100, 'ftp', '(vsFTPd 3.0.3)'],
    ['220 Features: a .\r\n', 21, 'ftp', 'Features: a .'],
    ['220 mx ESMTP Exim 4.96 Fri\r\n', 25, 'smtp', 'mx ESMTP Exim 4.96 Fri'],
    ['220 vm ESMTP\r\n', 21, 'smtp', 'vm ESMTP'],
    ['* OK [CAPABILITY IMAP4rev1] Dovecot (Debian) ready.\r\n', 143, 'imap', 'Dovecot (Debian) ready.'],
    ['+OK Dovecot (Debian) ready.\r\n', 110, 'pop3', 'Dovecot (Debian) ready.'],
    ['d\0\0\0\x0a5.5.5-10.11.19-MariaDB-0+deb12u1\0abc', 3306, 'mysql', '5.5.5-10.11.19-MariaDB-0+deb12u1'],
    [
      'F\0\0\0\xffj\x04Host 10.0.0.1 is not allowed to connect',
      3306,
      'mysql',
      'Host 10.0.0.1 is not allowed to connect',
    ],
    ['\x17\0\0\0\xff\x10\x04Too many connections', 3306, 'mysql', 'Too many connections'],
    [
      '\x24\0\0\0\xff\x6a\x04Stroj nem\xc3\xa1 povoleno se p\xc5\x99ipojit',
      3306,
      'mysql',
      'Stroj nem\xc3\xa1 povoleno se p\xc5\x99ipojit',
    ],
    ['RFB 003.008\n', 5900, 'vnc', 'RFB 003.008'],
    ['@RSYNCD: 32.0 sha512\n', 873, 'rsync', '@RSYNCD: 32.0 sha512'],
    ['( success ( 2 2 ( ) ) )', 3690, 'svn', '( success ( 2 2 ( ) ) )'],
    ['\xff\xfb\x25\xff\xfb\x26login: ', 23, 'telnet', 'login:'],
    ['# munin node at lab.test\n', 4949, 'munin', '# munin node at lab.test'],
    ['-DENIED Redis is running in protected mode', 6379, 'redis', '-DENIED Redis is running in protected mode'],
    ['\0\0\0\0\0\x32\x08\x84\x86\x04\x12\x071.3.4-4\x1a\x03X11"\x1eDebian GNU/Linux 12', 64738, 'mumble', '1.3.4-4'],
  ])('identifies %j', (text, port, protocol, rest) => {
    expect(identifyBanner(text, port)).toMatchObject({ protocol, text: rest })
  })

  it('does not identify ambiguous banners', () => {
    expect(identifyBanner('hello, who are you?', 22)).toBeUndefined()
    expect(identifyBanner('\0\0\0\0\0\0\0\0', 3306)).toBeUndefined()
  })
})

describe('probes', () => {
  it.each([
    ['mqtt', 1, (bytes: Buffer) => bytes.length - 2],
    ['ldap', 1, (bytes: Buffer) => bytes.length - 2],
    ['rdp', 3, (bytes: Buffer) => bytes.length],
    ['smb', 3, (bytes: Buffer) => bytes.length - 4],
    ['dns', 1, (bytes: Buffer) => bytes.length - 2],
    ['mongodb', 0, (bytes: Buffer) => bytes.length],
    ['postgresql', 3, (bytes: Buffer) => bytes.length],
  ])('of %s contain the correct length', (protocol, at, length) => {
    expect(requestOf(protocol)[at]).toBe(length(requestOf(protocol)))
  })

  it.each([
    ['HTTP/1.1 200 OK\r\n\r\n', true],
    ['HTTP/1.1 403 Forbidden\r\n\r\n', true],
    ['HTTP/1.1 400 Bad Request\r\n\r\n', false],
    [
      'HTTP/1.0 403 Forbidden\r\ncontent-type: text/html\r\ncontent-length: 173\r\n\r\n<html><head><link rel="stylesheet" type="text/css" href="/error.css"/></head>',
      false,
    ],
  ])('uwsgi: decides on %j', (response, isExpected) => {
    expect(probe('uwsgi').responsePattern.test(response)).toBe(isExpected)
  })

  it('git: has the correct length prefix', () => {
    expect(Number.parseInt(requestOf('git').toString('latin1', 0, 4), 16)).toBe(requestOf('git').length)
  })

  it.each([
    ['redis', '-NOAUTH Authentication required.\r\n'],
    ['memcached', 'VERSION 1.6.18\r\n'],
    ['gearman', 'OK 1.1.20+ds\n'],
    ['lpd', "Printer: office@print 'Office' (printing disabled)\n Queue: no printable jobs in queue\n"],
    ['lpd', '\x01no connect permissions\n'],
    ['lpd', 'print: lpd: all: unknown printer\n'],
    ['beanstalkd', 'OK 929\r\n---\ncurrent-jobs-urgent: 0\n'],
    ['mqtt', '\x20\x02\x00\x05'],
    ['postgresql', 'N'],
    ['dns', '\0\x2aGC\x85\x00'],
    ['smb', '\0\0\0\x67\xffSMB'],
    ['git', '003cERR access denied'],
    ['irc', ':irc.lab.test 002 glacis :Your host is irc.lab.test'],
    ['epmd', '\0\0\x11\x11name rabbit at port 25672\n'],
    ['epmd', '\0\0\x11\x11'],
    ['stomp', 'CONNECTED\nserver:RabbitMQ/3.10.8\nversion:1.2\n\n\0'],
    ['zabbix-agent', 'ZBXD\x01\x06\0\0\0\0\0\0\x006.0.14'],
    ['tor-control', '250-PROTOCOLINFO 1\r\n250-AUTH METHODS=NULL\r\n'],
    ['sip', 'SIP/2.0 404 Not here\r\nCSeq: 1 OPTIONS\r\nServer: kamailio (5.6.3 (x86_64/linux))\r\n'],
    ['stun', '\x01\x01\0\x20\x21\x12\xa4\x42glacisglacis\x80\x22\0\x14Coturn-4.6.1'],
    ['delve', '{"id":1,"result":{"DelveVersion":"Version: 1.27.2\\nBuild: 1","APIVersion":2},"error":null}'],
    ['serf', '\x82\xa5Error\xa0\xa3Seq\0\x82\xa5Error\xa0\xa3Seq\x01\x84\xa5agent'],
    ['grpc', '\0\0\x06\x04\0\0\0\0\0\0\x05\0\0\x40\0'],
    ['nfs', '\x80\0\0\x18GLNF\0\0\0\x01\0\0\0\0'],
    [
      'xmpp',
      "<?xml version='1.0'?><stream:stream version='1.0' xmlns:stream='http://etherx.jabber.org/streams' xmlns='jabber:client'>",
    ],
  ])('%s: only its own probe accepts the response', (protocol, response) => {
    const knowing = probes.filter((probe) => probe.responsePattern.test(response)).map((probe) => probe.protocol)
    expect(knowing).toEqual([protocol])
  })

  it.each(['SIP/2.0', 'RTSP/1.0'])(
    'a web server that repeats %s of the request is not identified as one',
    (version) => {
      const response = `${version} 404 Not Found\r\ncontent-length: 0\r\n\r\n`
      expect(probes.filter((probe) => probe.responsePattern.test(response))).toEqual([])
      expect(isWeb(response)).toBe(true)
    },
  )

  it.each([
    ['stomp', 'CONNECTED\nserver:RabbitMQ/3.10.8\nversion:1.2\n\n\0', 'RabbitMQ/3.10.8'],
    ['epmd', '\0\0\x11\x11name rabbit at port 25672\n', 'name rabbit at port 25672'],
    ['epmd', '\0\0\x11\x11', 'no nodes'],
    ['zabbix-agent', 'ZBXD\x01\x06\0\0\0\0\0\0\x006.0.14', '6.0.14'],
    ['delve', '{"id":1,"result":{"DelveVersion":"Version: 1.27.2\\nBuild: 1"}}', 'Version: 1.27.2\nBuild: 1'],
    ['sip', 'SIP/2.0 200 OK\r\nUser-Agent: FPBX-16.0.1\r\n\r\n', 'FPBX-16.0.1'],
    ['sip', 'SIP/2.0 404 Not here\r\n\r\n', ''],
    [
      'stun',
      '\x01\x01\0\x24\x21\x12\xa4\x42glacisglacis\0\x20\0\x05abcde\0\0\0\x80\x22\0\x0cCoturn-4.6.1',
      'Coturn-4.6.1',
    ],
    ['stun', '\x01\x01\0\x08\x21\x12\xa4\x42glacisglacis\0\x20\xff\xffabcd', ''],
  ])('%s: extracts the fingerprinted text of %j', (protocol, response, expected) => {
    expect(probe(protocol).read?.(response)).toBe(expected)
  })

  it('extracts the version from a DNS response', () => {
    const record = '\xc0\x0c\0\x10\0\x03\0\0\0\0\0\x07\x069.18.1'
    expect(probe('dns').read?.(`\0\x2aGC\x85\0\0\x01\0\x01\0\0\0\0\x07version\x04bind\0\0\x10\0\x03${record}`)).toBe(
      '9.18.1',
    )
  })
})
