import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { type CheckPermission, Observation } from '@glacis/contract/runner'
import { dnsQuery, readAnswer } from '#native/dns.ts'
import { nativeChecks } from '#native/run.ts'
import { packetOf, readLists, string } from '#native/ssh-wire.ts'
import { certificateFor } from '#template/testing/certificate.ts'
import { answering, runNativeChecks, tcpPeer, udpPeer } from '#native/testing/examine.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
const crlf = (text: string) => `${text}\r\n`

it('has summary, impact, and remediation for each check', () => {
  for (const check of nativeChecks) {
    expect(check.summary.length, check.id).toBeGreaterThan(20)
    expect(check.impact.length, check.id).toBeGreaterThan(20)
    expect(check.remediation.length, check.id).toBeGreaterThan(20)
    expect(check.references[0], check.id).toMatch(/^https:/)
    expect(check.severity, check.id).toBe(bandOf(check.score))
  }
  expect(new Set(nativeChecks.map(({ id }) => id)).size).toBe(nativeChecks.length)
})

/** Severity of a CVSS score (FIRST, qualitative severity rating scale). */
function bandOf(score: number | null): string {
  if (score === null) return 'info'
  if (score < 4) return 'low'
  if (score < 7) return 'medium'
  return score < 9 ? 'high' : 'critical'
}

describe.concurrent('SSH', () => {
  const kexInit = (kex: string, ciphers: string, macs: string, keys = 'ssh-ed25519') => {
    const lists = [kex, keys, ciphers, ciphers, macs, macs, 'none', 'none', '', '']
    return packetOf(Buffer.concat([Buffer.from([20]), Buffer.alloc(16), ...lists.map(string), Buffer.alloc(5)]))
  }
  const server = (packet: Buffer) => answering(Buffer.concat([Buffer.from('SSH-2.0-test\r\n'), packet]), () => '')

  it('finds weak algorithms', async () => {
    const offer = kexInit('diffie-hellman-group1-sha1', '3des-cbc', 'hmac-md5', 'ssh-dss')
    await using peer = await tcpPeer(server(offer))
    const { found, seen } = await runNativeChecks(peer, { protocol: 'ssh' })
    expect(found).toEqual(['ssh-kex-weak', 'ssh-cipher-weak', 'ssh-mac-weak', 'ssh-host-key-weak'])
    for (const observation of seen) Observation.parse(observation)
  })
  it.each([
    [1024, ['ssh-kex-weak']],
    [2048, []],
  ])('requests a small Diffie-Hellman group and gets one of %s bits', async (bits, expected) => {
    const offer = kexInit('curve25519-sha256,diffie-hellman-group-exchange-sha256', 'aes128-ctr', 'hmac-sha2-256')
    const prime = Buffer.concat([Buffer.from([0]), Buffer.alloc(bits / 8, 0xf1)])
    const group = packetOf(Buffer.concat([Buffer.from([31]), string(prime), string(Buffer.from([2]))]))
    const groupRequest = Buffer.from([34, 0, 0, 4, 0])
    await using peer = await tcpPeer((socket) => {
      socket.write(Buffer.concat([Buffer.from('SSH-2.0-test\r\n'), offer]))
      socket.on('data', (received: Buffer) => void (received.includes(groupRequest) && socket.write(group)))
    })
    expect((await runNativeChecks(peer, { protocol: 'ssh' })).found).toEqual(expected)
  })
  it('finds nothing in secure algorithms and reports coverage', async () => {
    await using peer = await tcpPeer(server(kexInit('curve25519-sha256', 'aes128-ctr', 'hmac-sha2-256')))
    const { found, covered } = await runNativeChecks(peer, { protocol: 'ssh' })
    expect(found).toEqual([])
    expect(covered).toContain('ssh-kex-weak')
    expect(covered).not.toContain('ssh-password-login')
  })
  it.each([
    [
      'ChaCha20-Poly1305',
      kexInit('curve25519-sha256', 'chacha20-poly1305@openssh.com', 'hmac-sha2-256'),
      ['CVE-2023-48795'],
    ],
    [
      'CBC with encrypt-then-MAC',
      kexInit('curve25519-sha256', 'aes128-cbc', 'hmac-sha2-256-etm@openssh.com'),
      ['ssh-cipher-weak', 'CVE-2023-48795'],
    ],
    [
      'encrypt-then-MAC in counter mode',
      kexInit('curve25519-sha256', 'aes128-ctr', 'hmac-sha2-256-etm@openssh.com'),
      [],
    ],
    [
      'strict key exchange',
      kexInit('curve25519-sha256,kex-strict-s-v00@openssh.com', 'chacha20-poly1305@openssh.com', 'hmac-sha2-256'),
      [],
    ],
  ])('decides on the Terrapin attack: %s', async (_name, offer, expected) => {
    await using peer = await tcpPeer(server(offer))
    expect((await runNativeChecks(peer, { protocol: 'ssh' })).found).toEqual(expected)
  })
  it('detects version 1 by its banner', async () => {
    await using peer = await tcpPeer(answering('SSH-1.5-old\r\n', () => ''))
    expect((await runNativeChecks(peer, { protocol: 'ssh' })).found).toEqual(['ssh-protocol-1'])
  })
  it.each([Buffer.from([20]), Buffer.alloc(40, 20), Buffer.alloc(0)])(
    'returns null for a corrupt packet',
    (payload) => {
      expect(readLists(payload)).toBeNull()
    },
  )
})

describe.concurrent('DNS', () => {
  const record = (type: number, data: Buffer) =>
    Buffer.concat([hex('c00c'), Buffer.from([0, type, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 255]), data])
  const reply = (received: Buffer, flags: number, records: readonly Buffer[]) => {
    const message = Buffer.concat([Buffer.from(received.subarray(2)), ...records])
    message.writeUInt16BE(flags, 2)
    message.writeUInt16BE(records.length, 6)
    return Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message])
  }
  const version = Buffer.concat([Buffer.from([6]), Buffer.from('9.18.1')])
  const soa = record(6, Buffer.alloc(22))

  it('finds recursion, the version, and a zone transfer', async () => {
    const answer = (received: Buffer) => {
      const type = received.readUInt16BE(received.length - 4)
      if (type === 16) return reply(received, 0x8000, [record(16, version)])
      if (type === 2) return reply(received, 0x8180, [])
      return received.toString('latin1').includes('\u0003lab\u0004test')
        ? reply(received, 0x8400, [soa, soa, soa])
        : reply(received, 0x8005, [])
    }
    await using peer = await tcpPeer(answering('', (_, raw) => answer(raw)))
    const { found } = await runNativeChecks(peer, { protocol: 'dns' })
    expect(found).toEqual(['dns-zone-transfer', 'dns-open-recursion', 'dns-version-disclosed'])
  })
  it.each([
    ['resolves other names', 0x8180, ['dns-open-recursion']],
    ['refuses other names', 0x8185, []],
  ] as const)('asks a forwarder that refuses the root zone for a name: %s', async (_, flags, expected) => {
    const address = record(1, Buffer.from([192, 0, 2, 9]))
    const answer = (received: Buffer) =>
      received.toString('latin1').includes('\u0003www\u0007example')
        ? reply(received, flags, flags === 0x8180 ? [address] : [])
        : reply(received, 0x8185, [])
    await using peer = await tcpPeer(answering('', (_text, raw) => answer(raw)))
    expect((await runNativeChecks(peer, { protocol: 'dns' })).found).toEqual(expected)
  })
  it('finds nothing when all queries are refused', async () => {
    await using peer = await tcpPeer(answering('', (_, raw) => reply(raw, 0x8005, [])))
    const { found, covered } = await runNativeChecks(peer, { protocol: 'dns' })
    expect(found).toEqual([])
    expect(covered).toEqual(['dns-zone-transfer', 'dns-open-recursion', 'dns-version-disclosed', 'dns-update-open'])
  })
  it.each([
    ['accepted', 0, ['dns-update-open']],
    ['refused', 5, []],
  ] as const)('sends an update without changes, which is %s', async (_, code, expected) => {
    const answer = (received: Buffer) => {
      if (!received.toString('latin1').includes('\u0003lab\u0004test')) return reply(received, 0x8005, [])
      if (received.readUInt16BE(4) >> 11 !== 5) return reply(received, 0x8400, [soa])
      const hasPrerequisite = received.readUInt16BE(8) === 1
      return reply(received, 0xa800 | (hasPrerequisite ? 3 : code), [])
    }
    await using peer = await tcpPeer(answering('', (_text, raw) => answer(raw)))
    expect((await runNativeChecks(peer, { protocol: 'dns' })).found).toEqual(expected)
  })
  it('rejects a response with a compression loop', () => {
    const question = dnsQuery({ type: 'A', name: 'a.test' })
    const loop = Buffer.concat([question, hex('c016 c016 0001 0001 00000000 0004 00000000')])
    loop.writeUInt16BE(0x8000, 2)
    loop.writeUInt16BE(1, 6)
    loop.writeUInt16BE(0xc000 + question.length, question.length)
    expect(readAnswer(loop)).toBeNull()
  })
})

describe.concurrent('over UDP', () => {
  const description = 'Linux lab 6.1'
  const snmpAnswer = (received: Buffer, community: string) => {
    const value = Buffer.concat([
      hex('06082b06010201010100 04'),
      Buffer.from([description.length]),
      Buffer.from(description),
    ])
    const bound = Buffer.concat([Buffer.from([0x30, value.length + 2, 0x30, value.length]), value])
    const pdu = Buffer.concat([hex('0204474c4143 020100 020100'), bound])
    const head = Buffer.concat([Buffer.from([2, 1, received[4] ?? 0, 4, community.length]), Buffer.from(community)])
    const body = Buffer.concat([head, Buffer.from([0xa2, pdu.length]), pdu])
    return Buffer.concat([Buffer.from([0x30, body.length]), body])
  }
  it('finds default community strings', async () => {
    const known = ['public', 'private']
    await using peer = await udpPeer((received) => {
      const community = known.find((name) => received.includes(name))
      return community ? snmpAnswer(received, community) : null
    })
    const { found, seen } = await runNativeChecks(peer, { protocol: 'snmp', transport: 'udp' })
    expect(found).toEqual(['snmp-community-public', 'snmp-community-private'])
    expect(JSON.stringify(seen)).toContain(description)
    expect(seen).toContainEqual(expect.objectContaining({ location: `${peer.port}/udp`, transport: 'udp' }))
  })
  it('finds a default community string over TCP', async () => {
    await using peer = await tcpPeer((socket) =>
      socket.on('data', (received: Buffer) => {
        if (received.includes('public')) socket.write(snmpAnswer(received, 'public'))
      }),
    )
    const { found, seen } = await runNativeChecks(peer, { protocol: 'snmp' })
    expect(found).toEqual(['snmp-community-public'])
    expect(JSON.stringify(seen)).toContain(description)
  })
  it.each([
    [6, []],
    [7, ['snmp-community-writable']],
  ] as const)('reports a writable community by the error %i for a wrong type', async (status, expected) => {
    await using peer = await udpPeer((received) => {
      if (!received.includes('public')) return null
      if (!received.includes(0xa3)) return snmpAnswer(received, 'public')
      const pdu = Buffer.concat([hex('0204474c4144 0201'), Buffer.from([status]), hex('020101 3000')])
      const body = Buffer.concat([hex('020101 0406'), Buffer.from('public'), Buffer.from([0xa2, pdu.length]), pdu])
      return Buffer.concat([Buffer.from([0x30, body.length]), body])
    })
    const found = async (permissions: CheckPermission[]) =>
      (await runNativeChecks(peer, { protocol: 'snmp', transport: 'udp' }, permissions)).found
    expect(await found(['writes'])).toEqual(['snmp-community-public', ...expected])
    expect(await found([])).toEqual(['snmp-community-public'])
  })
  it('finds nothing when the agent ignores both community strings', async () => {
    await using peer = await udpPeer(() => null)
    expect((await runNativeChecks(peer, { protocol: 'snmp', transport: 'udp' })).found).toEqual([])
  })
  it('finds a TFTP file only if it exists', async () => {
    await using open = await udpPeer((received) =>
      received.includes('pxelinux.0') ? hex('0003 0001 74657874') : hex('0005 0001 00'),
    )
    expect((await runNativeChecks(open, { protocol: 'tftp', transport: 'udp' })).found).toEqual(['tftp-readable'])
    await using closed = await udpPeer(() => hex('0005 0001 00'))
    const { found, covered } = await runNativeChecks(closed, { protocol: 'tftp', transport: 'udp' })
    expect([found, covered]).toEqual([[], ['tftp-readable', 'tftp-secrets-readable']])
  })
  it('finds Memcached amplification', async () => {
    const stats = (length: number) =>
      Buffer.concat([hex('474c 0000 0001 0000'), Buffer.from('STAT pid 1\r\n'.repeat(length))])
    await using loud = await udpPeer(() => stats(60))
    expect((await runNativeChecks(loud, { protocol: 'memcached', transport: 'udp' })).found).toEqual([
      'memcached-udp-amplification',
    ])
    await using quiet = await udpPeer(() => Buffer.from('CLIENT_ERROR'))
    expect((await runNativeChecks(quiet, { protocol: 'memcached', transport: 'udp' })).found).toEqual([])
  })
  it('finds NTP and mDNS disclosure', async () => {
    const variables = Buffer.concat([Buffer.from([0x16, 0x82]), Buffer.alloc(10), Buffer.from('version="ntpd 4.2.6"')])
    const monitor = Buffer.concat([Buffer.from([0x97, 0, 3, 0x2a]), Buffer.alloc(60)])
    await using ntp = await udpPeer((received) => (received[0] === 0x17 ? monitor : variables))
    expect((await runNativeChecks(ntp, { protocol: 'ntp', transport: 'udp' })).found).toEqual([
      'ntp-monlist',
      'ntp-variables-exposed',
    ])
    await using shut = await udpPeer(() => Buffer.alloc(48))
    expect((await runNativeChecks(shut, { protocol: 'ntp', transport: 'udp' })).found).toEqual([])
    await using mdns = await udpPeer(() =>
      Buffer.concat([hex('0000 8400 0000 0001 0000 0000'), Buffer.from('_http_tcp')]),
    )
    expect((await runNativeChecks(mdns, { protocol: 'mdns', transport: 'udp' })).found).toEqual(['mdns-exposed'])
    await using empty = await udpPeer(() => hex('0000 8400 0000 0000 0000 0000 00'))
    expect((await runNativeChecks(empty, { protocol: 'mdns', transport: 'udp' })).found).toEqual([])
  })
})

describe.concurrent('rsync, Subversion, and git', () => {
  const rsync = (refusal: string) =>
    answering('@RSYNCD: 31.0\n', (received) => {
      if (received.includes('#list')) return 'public         \tfiles\n@RSYNCD: EXIT\n'
      if (received.includes('--server'))
        return refusal === '' ? hex('ff01 12345678') : `${'\u0001'.repeat(5)}${refusal}`
      return '@RSYNCD: OK\n'
    })
  it('finds a writable module', async () => {
    await using peer = await tcpPeer(rsync(''))
    expect((await runNativeChecks(peer, { protocol: 'rsync' })).found).toEqual(['rsync-module-writable'])
  })
  it('finds nothing when the module is read-only', async () => {
    await using peer = await tcpPeer(rsync('ERROR: module is read only\n'))
    const { found, covered } = await runNativeChecks(peer, { protocol: 'rsync' })
    expect([found, covered]).toEqual([[], ['rsync-module-writable']])
  })
  const subversion = (last: string) =>
    answering('( success ( 2 2 ( ) ( edit-pipeline ) ) ) ', (_said, _raw, turn) => {
      const replies = [
        '( success ( ( ANONYMOUS ) 3:abc ) ) ',
        '( success ( ) ) ( success ( 3:abc 9:svn://lab ( ) ) ) ',
        last,
      ]
      return replies[turn] ?? ''
    })
  it('finds anonymous write access', async () => {
    await using peer = await tcpPeer(subversion('( success ( ( ) 0: ) ) ( failure ( ( 160034 7:No user 0: 0 ) ) ) '))
    expect((await runNativeChecks(peer, { protocol: 'svn' })).found).toEqual(['svn-anonymous-write'])
  })
  it('finds nothing when writing requires authentication', async () => {
    await using peer = await tcpPeer(subversion('( success ( ( CRAM-MD5 ) 3:abc ) ) '))
    expect((await runNativeChecks(peer, { protocol: 'svn' })).found).toEqual([])
  })
  it('finds a repository served by git', async () => {
    const id = '0'.repeat(40)
    await using peer = await tcpPeer((socket) => {
      socket.on('data', (received) => socket.end(received.includes('/app.git') ? `003d${id} HEAD` : 'x'))
    })
    expect((await runNativeChecks(peer, { protocol: 'git' })).found).toEqual(['git-daemon-open'])
    await using empty = await tcpPeer((socket) => void socket.on('data', () => socket.destroy()))
    const { found, covered } = await runNativeChecks(empty, { protocol: 'git' })
    expect([found, covered]).toEqual([[], ['git-daemon-open', 'git-daemon-writable']])
  })
  it('finds a repository that accepts pushes, and sends none', async () => {
    const id = '0'.repeat(40)
    const said: string[] = []
    await using peer = await tcpPeer((socket) => {
      socket.on('data', (received) => {
        said.push(received.toString('latin1'))
        if (received.toString() === '0000') return void socket.end()
        if (received.includes('git-receive-pack /app.git')) socket.write(`0053${id} refs/heads/main\0report-status`)
        else if (received.includes('git-upload-pack /app.git')) socket.write(`003d${id} HEAD`)
        else socket.end('0010ERR no access')
      })
    })
    const { found } = await runNativeChecks(peer, { protocol: 'git' })
    expect(found).toEqual(['git-daemon-open', 'git-daemon-writable'])
    expect(said.at(-2)).toContain('git-receive-pack')
    expect(said.at(-1)).toBe('0000')
  })
})

describe.concurrent('MySQL', () => {
  const hello = (capabilities: number) => {
    const body = Buffer.concat([
      Buffer.from('\u000a5.5.5-10.11.19-MariaDB\0', 'latin1'),
      Buffer.alloc(4),
      Buffer.from('abcdefgh\0'),
      Buffer.from([capabilities & 255, capabilities >> 8, 33, 2, 0, 0xff, 0x81, 21]),
      Buffer.alloc(10),
      Buffer.from('ijklmnopqrst\0mysql_native_password\0'),
    ])
    return Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body])
  }
  const ok = hex('07000002 00 00 00 02 00 00 00')
  const denied = Buffer.concat([hex('19000002 ff 1504'), Buffer.from('#28000Access denied...')])
  it('finds a root login without a password and missing TLS', async () => {
    await using peer = await tcpPeer(answering(hello(0xf7ff), (said) => (said.includes('glacis-') ? denied : ok)))
    expect((await runNativeChecks(peer, { protocol: 'mysql' })).found).toEqual([
      'mysql-root-without-password',
      'mysql-no-tls',
    ])
  })
  it('sends an empty password after an authentication switch', async () => {
    const change = Buffer.concat([hex('16000002 fe'), Buffer.from('mysql_native_password')])
    await using peer = await tcpPeer(
      answering(hello(0xffff), (said, _raw, turn) => {
        if (said.includes('glacis-')) return denied
        return turn === 0 ? change : ok
      }),
    )
    expect((await runNativeChecks(peer, { protocol: 'mysql' })).found).toEqual(['mysql-root-without-password'])
  })
  it('finds neither when root is rejected and TLS is offered', async () => {
    await using peer = await tcpPeer(answering(hello(0xffff), () => denied))
    const { found, covered } = await runNativeChecks(peer, { protocol: 'mysql' })
    expect([found, covered]).toEqual([[], ['mysql-root-without-password', 'mysql-anonymous-account', 'mysql-no-tls']])
  })
  it('finds an anonymous account, which also accepts the name root', async () => {
    const account = Buffer.concat([hex('03000003 02'), Buffer.from('@%')])
    await using peer = await tcpPeer(
      answering(hello(0xffff), (said) => (said.includes('SELECT CURRENT_USER()') ? account : ok)),
    )
    expect((await runNativeChecks(peer, { protocol: 'mysql' })).found).toEqual(['mysql-anonymous-account'])
  })
})

describe.concurrent('SMB', () => {
  const answer = (command: number, status: number, body: Buffer) => {
    const head = Buffer.alloc(64)
    head.write('\u00feSMB', 'latin1')
    head.writeUInt32LE(status, 8)
    head.writeUInt16LE(command, 12)
    head.writeUInt32LE(7, 40)
    return Buffer.concat([Buffer.from([0, 0, 0, 64 + body.length]), head, body])
  }
  const old = Buffer.concat([Buffer.from([0, 0, 0, 40]), Buffer.from('\u00ffSMB\u0072', 'latin1'), Buffer.alloc(35)])
  const tree = hex('1000 01 00 00000000 00000000 ff011f00')
  const server = (mode: number, knowsOld: boolean, hasShare: boolean) =>
    answering('', (received, raw) => {
      if (received.startsWith('\u00ffSMB', 4)) return knowsOld ? old : ''
      const command = raw.readUInt16LE(4 + 12)
      if (command === 0) return answer(0, 0, Buffer.from([65, 0, mode, 0]))
      if (command === 1)
        return answer(1, received.includes('NTLMSSP\0\u0001') ? 0xc0000016 : hasShare ? 0 : 0xc000006d, Buffer.alloc(8))
      return raw.includes(Buffer.from('public', 'utf16le'))
        ? answer(3, 0, tree)
        : answer(3, 0xc00000cc, Buffer.alloc(8))
    })
  it('finds SMB 1, optional signing, and an anonymous share', async () => {
    await using peer = await tcpPeer(server(1, true, true))
    expect((await runNativeChecks(peer, { protocol: 'smb' })).found).toEqual([
      'smb1-enabled',
      'smb-signing-optional',
      'smb-guest-share',
    ])
  })
  it.each([
    [0b0111, ['smb1-enabled', 'smb-signing-optional']],
    [0b1111, ['smb1-enabled']],
  ])('reads the security mode %i of a server that only has SMB 1', async (mode, expected) => {
    const reply = Buffer.from(old)
    reply[39] = mode
    await using peer = await tcpPeer(answering('', (received) => (received.startsWith('\u00ffSMB', 4) ? reply : '')))
    expect((await runNativeChecks(peer, { protocol: 'smb' })).found).toEqual(expected)
  })
  it('finds nothing on a secure server', async () => {
    await using peer = await tcpPeer(server(3, false, false))
    const { found, covered } = await runNativeChecks(peer, { protocol: 'smb' })
    expect([found, covered]).toEqual([
      [],
      ['smb1-enabled', 'smb-signing-optional', 'smb-guest-share', 'smb-shares-listed', 'smb-users-listed'],
    ])
  })
})

describe.concurrent('proxies', () => {
  const asProxy = { protocol: 'http', banner: 'Server: tinyproxy/1.11.1' }
  it('finds a proxy that opens tunnels', async () => {
    const reply = (received: string) => {
      if (/^CONNECT \S+:1 /.test(received)) return 'HTTP/1.0 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'
      return received.startsWith('CONNECT')
        ? 'HTTP/1.0 200 Connection established\r\n\r\n'
        : 'HTTP/1.0 400 Bad Request\r\ncontent-length: 0\r\n\r\n'
    }
    await using peer = await tcpPeer(answering('', reply))
    expect((await runNativeChecks(peer, asProxy)).found).toEqual(['http-proxy-open'])
  })
  it('finds a proxy that resolves arbitrary names', async () => {
    const failed = 'HTTP/1.1 503 Service Unavailable\r\nX-Squid-Error: ERR_DNS_FAIL 0\r\ncontent-length: 0\r\n\r\n'
    await using peer = await tcpPeer(
      answering('', (received) =>
        received.startsWith('CONNECT') ? 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n' : failed,
      ),
    )
    expect((await runNativeChecks(peer, asProxy)).found).toEqual(['http-proxy-open'])
  })
  it('finds a proxy that connects to a closed port of the host', async () => {
    const refused = 'HTTP/1.1 502 Connection refused\r\ncontent-length: 0\r\n\r\n'
    const looped = 'HTTP/1.1 400 Direct self loop detected\r\ncontent-length: 0\r\n\r\n'
    await using peer = await tcpPeer(answering('', (received) => (received.includes(':1/ HTTP') ? refused : looped)))
    expect((await runNativeChecks(peer, asProxy)).found).toEqual(['http-proxy-open'])
  })
  it('finds a proxy that gives no reason for a failed connection', async () => {
    const failed = 'HTTP/1.1 504 Gateway Timeout\r\ncontent-length: 0\r\n\r\n'
    const page = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'
    const isForwarded = (received: string) => received.includes(' http://')
    await using peer = await tcpPeer(answering('', (received) => (isForwarded(received) ? failed : page)))
    expect((await runNativeChecks(peer, asProxy)).found).toEqual(['http-proxy-open'])
  })
  it('does not report a server that is busy once as an open proxy', async () => {
    const busy = 'HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n'
    const page = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'
    let turns = 0
    const isBusy = (received: string) => received.includes(':1/ HTTP') && turns++ === 0
    await using peer = await tcpPeer(answering('', (received) => (isBusy(received) ? busy : page)))
    expect((await runNativeChecks(peer, asProxy)).found).toEqual([])
    expect(turns).toBe(2)
  })
  it('finds a proxy that only opens tunnels to the port of HTTPS', async () => {
    const forbidden = 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'
    const failed = 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 18\r\n\r\nDNS lookup failure'
    const isTunnel = (received: string) => received.startsWith('CONNECT glacis-proxy-check.invalid:443 ')
    await using peer = await tcpPeer(answering('', (received) => (isTunnel(received) ? failed : forbidden)))
    expect((await runNativeChecks(peer, asProxy)).found).toEqual(['http-proxy-open'])
  })
  it.each([
    'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi',
    'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 502 Connection refused\r\ncontent-length: 0\r\n\r\n',
  ])('does not report %j as an open proxy', async (reply) => {
    await using peer = await tcpPeer(answering('', () => reply))
    const { found, covered } = await runNativeChecks(peer, asProxy)
    expect(found).toEqual([])
    expect(covered).toContain('http-proxy-open')
  })
  it('finds a SOCKS proxy only without authentication', async () => {
    await using open = await tcpPeer(
      answering('', (_said, _raw, turn) => hex(turn === 0 ? '0500' : '05000001000000000000')),
    )
    expect((await runNativeChecks(open, { protocol: 'socks5' })).found).toEqual(['socks-proxy-open'])
    await using shut = await tcpPeer(answering('', () => hex('05ff')))
    expect((await runNativeChecks(shut, { protocol: 'socks5' })).found).toEqual([])
  })
})

describe.concurrent('mail', () => {
  it('finds a server that accepts any password, with permission for logins', async () => {
    const talk = answering(crlf('* OK ready'), (received) =>
      received.startsWith('a LOGIN') ? crlf('a OK logged in') : '',
    )
    await using peer = await tcpPeer(talk)
    expect((await runNativeChecks(peer, { protocol: 'imap' })).found).toEqual(['mail-any-password'])
    expect((await runNativeChecks(peer, { protocol: 'imap' }, [])).covered).toEqual([])
  })
  it('finds nothing when the login is rejected', async () => {
    const talk = answering(crlf('+OK ready'), (received) => crlf(received.startsWith('USER') ? '+OK' : '-ERR no'))
    await using peer = await tcpPeer(talk)
    const { found, covered } = await runNativeChecks(peer, { protocol: 'pop3' })
    expect([found, covered]).toEqual([[], ['mail-any-password']])
  })
})

describe.concurrent('TLS', () => {
  const weak = certificateFor({ name: 'lab.test', rsaBits: 1024 })
  const sound = certificateFor({ name: 'lab.test' })
  const secure = (certificate: { key: string; cert: string }, socket: Socket) =>
    new TLSSocket(socket, {
      isServer: true,
      ...certificate,
      minVersion: 'TLSv1.2',
      ciphers: 'DEFAULT:@SECLEVEL=0',
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    }).on('error', () => undefined)

  it.each([
    [weak, ['tls-key-weak'], ['CN=lab.test\nRSA key of 1024 bits']],
    [sound, [], []],
  ] as const)('reports weak certificate keys only', async (certificate, expected, evidence) => {
    await using peer = await tcpPeer((socket) => void secure(certificate, socket))
    const { found, covered, seen } = await runNativeChecks(peer, { protocol: 'redis', tls: true })
    expect(found).toEqual(expected)
    expect(seen.flatMap((one) => (one.kind === 'finding' ? one.evidence : []))).toEqual(evidence)
    expect(covered).toContain('tls-key-weak')
  })

  const mail = (certificate: { key: string; cert: string }) => (socket: Socket) => {
    socket.write('220 mx ESMTP\r\n')
    const hear = (received: Buffer) => {
      if (received.includes('EHLO')) return void socket.write('250-mx\r\n250 STARTTLS\r\n')
      socket.off('data', hear)
      socket.write('220 go ahead\r\n')
      secure(certificate, socket)
    }
    socket.on('data', hear)
  }
  it('checks TLS after STARTTLS', async () => {
    await using peer = await tcpPeer(mail(weak))
    const { found, covered } = await runNativeChecks(peer, { protocol: 'smtp' })
    expect(found).toEqual(['tls-key-weak', 'starttls-certificate-self-signed'])
    expect(covered).toEqual([
      'tls-key-weak',
      'tls-signature-weak',
      'tls-certificate-untrusted',
      'starttls-version-weak',
      'starttls-certificate-expired',
      'starttls-certificate-self-signed',
      'tls-cipher-weak',
      'tls-cipher-small-block',
      'tls-ssl2-enabled',
      'tls-ssl3-enabled',
      'tls-curve-weak',
      'tls-dh-weak',
      'CVE-2014-0160',
      'tls-compression',
      'tls-renegotiation-insecure',
      'tls-client-renegotiation',
      'tls-chain-incomplete',
      'tls-forward-secrecy-missing',
      'tls-robot',
      'lmtp-open',
    ])
  })
  it('is inconclusive when the server does not support TLS, which is requested once', async () => {
    let requests = 0
    const respond = (question: string) => {
      if (question.includes('STLS')) requests++
      return '-ERR unknown command\r\n'
    }
    await using peer = await tcpPeer(answering('+OK mx\r\n', respond))
    expect((await runNativeChecks(peer, { protocol: 'pop3' })).covered).toEqual(['mail-any-password'])
    expect(requests).toBe(1)
  })
})
