import { describe, expect, it } from 'vitest'
import { greetingOf } from '#fingerprint/greeting.ts'
import { probes } from '#fingerprint/probe.ts'

function probe(protocol: string) {
  const found = probes.find((one) => one.protocol === protocol)
  if (!found) throw new Error(`no probe for ${protocol}`)
  return found
}
const said = (protocol: string) => Buffer.from(probe(protocol).say)

describe('greetingOf', () => {
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
    ['RFB 003.008\n', 5900, 'vnc', 'RFB 003.008'],
    ['@RSYNCD: 32.0 sha512\n', 873, 'rsync', '@RSYNCD: 32.0 sha512'],
    ['( success ( 2 2 ( ) ) )', 3690, 'svn', '( success ( 2 2 ( ) ) )'],
    ['\xff\xfb\x25\xff\xfb\x26login: ', 23, 'telnet', 'login:'],
  ])('knows %j', (text, port, protocol, rest) => {
    expect(greetingOf(text, port)).toMatchObject({ protocol, text: rest })
  })

  it('does not guess', () => {
    expect(greetingOf('hello, who are you?', 22)).toBeUndefined()
    expect(greetingOf('\0\0\0\0\0\0\0\0', 3306)).toBeUndefined()
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
  ])('of %s carry their right length', (protocol, at, length) => {
    expect(said(protocol)[at]).toBe(length(said(protocol)))
  })

  it('of git carry their right length', () => {
    expect(Number.parseInt(said('git').toString('latin1', 0, 4), 16)).toBe(said('git').length)
  })

  it.each([
    ['redis', '-NOAUTH Authentication required.\r\n'],
    ['memcached', 'VERSION 1.6.18\r\n'],
    ['gearman', 'OK 1.1.20+ds\n'],
    ['beanstalkd', 'OK 929\r\n---\ncurrent-jobs-urgent: 0\n'],
    ['mqtt', '\x20\x02\x00\x05'],
    ['postgresql', 'N'],
    ['dns', '\0\x2aGC\x85\x00'],
    ['smb', '\0\0\0\x67\xffSMB'],
    ['git', '003cERR access denied'],
    ['irc', ':irc.lab.test 002 glacis :Your host is irc.lab.test'],
  ])('of %s know their answer and nobody else does', (protocol, answer) => {
    const knowing = probes.filter((one) => one.answer.test(answer)).map((one) => one.protocol)
    expect(knowing).toEqual([protocol])
  })

  it('read the version out of the answer of a name server', () => {
    const record = '\xc0\x0c\0\x10\0\x03\0\0\0\0\0\x07\x069.18.1'
    expect(probe('dns').read?.(`\0\x2aGC\x85\0\0\x01\0\x01\0\0\0\0\x07version\x04bind\0\0\x10\0\x03${record}`)).toBe(
      '9.18.1',
    )
  })
})
