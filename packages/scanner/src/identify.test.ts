/* oxlint-disable no-control-regex -- binary protocols are made of control characters */
import { createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import type { Observation } from '@glacis/contract/runner'
import { describe, expect, it } from 'vitest'
import { faviconHash } from '#fingerprint/favicon.ts'
import { loadPacks, scan } from '#index.ts'
import { broker } from '#native/testing/broker.ts'
import { desktop } from '#native/testing/desktop.ts'
import { fileServer } from '#native/testing/file-server.ts'
import { certificateFor } from '#template/testing/certificate.ts'
import { derby, releaseVersion } from '#testing/database-replies.ts'
import { greet, listen, mayListen, respond } from '#testing/loopback.ts'

const packs = await loadPacks({
  fingerprints: [new URL('../../../packs/fingerprints', import.meta.url).pathname],
  checks: [new URL('./testing/checks', import.meta.url).pathname],
  native: false,
})
const bytes = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

interface Seen {
  readonly services: Extract<Observation, { kind: 'service' }>[]
  /** `vendor:product:version` of each technology. */
  readonly names: string[]
}

async function identified(address: string, ports: readonly number[], known = packs): Promise<Seen> {
  const observations: Observation[] = []
  const job = { hosts: [{ address }], ports: [...ports], allow: ['127.70.0.0/16'], profile: 'deep' as const }
  for await (const observation of scan(job, { packs: known, signal: AbortSignal.timeout(25_000) }))
    observations.push(observation)
  return {
    services: observations.filter((observation) => observation.kind === 'service'),
    names: observations.flatMap((observation) =>
      observation.kind === 'technology'
        ? `${observation.wfn.vendor}:${observation.wfn.product}:${observation.wfn.version}`
        : [],
    ),
  }
}

const rootDse = bytes(
  '3051020101644c0400304830 460413 7374727563747572616c4f626a656374436c617373 312f 040f4f70656e4c444150726f6f74445345 0400',
)
const buildInfo = Buffer.concat([
  bytes('3800000002000000 02000000 dd070000 00000000 00'),
  Buffer.from('#\0\0\0\u0002version\0\u0007\0\0\x006.0.14\0\0', 'latin1'),
])
const mongoHello = Buffer.concat([bytes('24000000 02000000 01000000 dd070000'), Buffer.alloc(20)])
const versionBind = Buffer.concat([
  bytes(
    '0038 4743 8580 0001 0001 0000 0000 07 76657273696f6e 04 62696e64 00 0010 0003 c00c 0010 0003 00000000 0007 06',
  ),
  Buffer.from('9.18.1'),
])
const mysql = Buffer.from('J\0\0\0\x0a8.0.36\0\x08\0\0\0abcdefgh\0\xff\xf7', 'latin1')
const mqttVersion = Buffer.concat([bytes('302c 0013'), Buffer.from('$SYS/broker/versionmosquitto version 2.0.11')])

/** PostgreSQL that rejects logins outside TLS. */
function encryptedPostgreSql(socket: Socket): void {
  const { key, cert } = certificateFor({ name: 'db.lab.test' })
  socket.once('data', (first) => {
    if (first.length > 8)
      return socket.end('E\0\0\0\x50SFATAL\0Mno pg_hba.conf entry for host "127.0.0.1", no encryption\0\0')
    socket.write('S')
    const inside = new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => undefined)
    return inside.on('data', () =>
      inside.write(Buffer.from('R\0\0\0\x08\0\0\0\0S\0\0\0\x19server_version\x0015.18\0', 'latin1')),
    )
  })
}

/** Banner of each kind of server and the expected product. */
const table: readonly (readonly [string, number, (socket: Socket) => void, string])[] = [
  [
    'redis',
    6379,
    respond([
      [/PING\r\n$/, '+PONG\r\n'],
      [/INFO/, '$25\r\nredis_version:7.0.15\r\n\r\n'],
    ]),
    'redis:redis:7.0.15',
  ],
  [
    'postgresql',
    5432,
    respond([
      [/\x04\xd2\x16\x2f/, 'N'],
      [/user/, Buffer.from('R\0\0\0\x08\0\0\0\0S\0\0\0\x19server_version\x0015.10\0', 'latin1')],
    ]),
    'postgresql:postgresql:15.10',
  ],
  ['postgresql', 5433, encryptedPostgreSql, 'postgresql:postgresql:15.18'],
  [
    'redis',
    6380,
    respond([
      [/PING\r\n$/, '+PONG\r\n'],
      [/INFO/, "-NOPERM this user has no permissions to run the 'info' command\r\n"],
      [/HELLO/, '%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:3\r\n'],
    ]),
    'redis:redis:7.0.15',
  ],
  [
    'unbound-control',
    8953,
    respond([[/^UBCT1 status\n$/, 'version: 1.17.1\nverbosity: 1\nthreads: 1\n']]),
    'nlnetlabs:unbound:1.17.1',
  ],
  ['mysql', 3306, greet(mysql), 'oracle:mysql:8.0.36'],
  [
    'mqtt',
    1883,
    respond([
      [/^\x10/, bytes('20020000')],
      [/^\x82/, mqttVersion],
    ]),
    'eclipse:mosquitto:2.0.11',
  ],
  ['ldap', 3268, respond([[/^\x30/, rootDse]]), 'openldap:openldap:-'],
  [
    'smb',
    445,
    fileServer({
      shares: [{ name: 'IPC$', kind: 3, remark: 'IPC Service (Samba 4.17.12-Debian)', isOpen: false }],
      upgradesSmb1: true,
    }),
    'samba:samba:4.17.12',
  ],
  ['dns', 5300, respond([[/version/, versionBind]]), 'isc:bind:9.18.1'],
  ['memcached', 11211, respond([[/^version/, 'VERSION 1.6.18\r\n']]), 'memcached:memcached:1.6.18'],
  [
    'mongodb',
    27017,
    respond([
      [/buildInfo/, buildInfo],
      [/hello/, mongoHello],
    ]),
    'mongodb:mongodb:6.0.14',
  ],
  [
    'zookeeper',
    2181,
    respond([[/^srvr/, 'Zookeeper version: 3.8.0-1, built on 2022-02-25\nMode: standalone\n']]),
    'apache:zookeeper:3.8.0',
  ],
  ['amqp', 5672, broker(), 'vmware:rabbitmq:3.12.14'],
  ['vnc', 5900, greet('RFB 003.889\n'), 'apple:apple_remote_desktop:-'],
  ['rsync', 2873, greet('@RSYNCD: 32.0 sha512\n'), 'samba:rsync:-'],
  ['svn', 3690, greet('( success ( 2 2 ( ) ( edit-pipeline ) ) ) '), 'apache:subversion:-'],
  [
    'irc',
    6667,
    respond([
      [
        /^NICK/,
        ':irc.lab.test 002 glacis :Your host is irc.lab.test, running version ngircd-26.1\r\n:irc.lab.test 004 glacis irc.lab.test ngircd-26.1\r\n',
      ],
    ]),
    'ngircd:ngircd:26.1',
  ],
  ['dict', 2630, greet('220 lab dicod (GNU dico) 2.11 <> <32.17@lab>\r\n'), 'gnu:dico:2.11'],
  ['dict', 2628, greet('220 lab dictd 1.13.0/rf on Linux 6.1.0 <auth.mime> <1.2@lab>\r\n'), 'dict:dictd:1.13.0'],
  [
    'qmp',
    4445,
    greet('{"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}}, "capabilities": []}}\r\n'),
    'qemu:qemu:7.2.22',
  ],
  ['drda', 1527, respond([[/^\0\u001e\u00d0/, derby]]), 'apache:derby:10.14.2.0'],
  [
    'cql',
    9042,
    respond([
      [/^\u0003\0\0\0\u0005/, bytes('83000000 06 00000006 0001 0001 61 0000')],
      [/CQL_VERSION/, bytes('83000000 02 00000000')],
      [/SELECT release_version/, releaseVersion],
    ]),
    'apache:cassandra:4.1.3',
  ],
  [
    'x11',
    6000,
    respond([
      [
        /^l/,
        Buffer.concat([
          bytes('01000b0000001000'),
          Buffer.alloc(16),
          bytes('1400'),
          Buffer.alloc(14),
          Buffer.from('The X.Org Foundation'),
        ]),
      ],
    ]),
    'x.org:xorg-server:-',
  ],
]

describe.concurrent('identifies a service by its responses', () => {
  it.each(table.filter(([, port]) => mayListen(port)))('%s', async (protocol, port, treat, name) => {
    const address = `127.70.2.${10 + table.findIndex(([name]) => name === protocol)}`
    await using server = await listen(address, port, treat)
    const { services, names } = await identified(server.address, [port])
    expect(services).toMatchObject([{ protocol, port, tls: false }])
    // An unknown version is `*` in the inventory.
    expect(names).toContain(name.replace(/:-$/, ':*'))
  })

  it('identifies a git daemon without a version', async () => {
    await using server = await listen(
      '127.70.2.40',
      9418,
      respond([[/git-upload-pack/, '0031ERR access denied or repository not exported: /']]),
    )
    expect(await identified(server.address, [9418])).toMatchObject({ services: [{ protocol: 'git' }], names: [] })
  })

  it('identifies a broker and its platform, with a readable banner', async () => {
    await using server = await listen('127.70.2.41', 5672, broker())
    const { services, names } = await identified(server.address, [5672])
    expect(services[0]?.banner).toBe(
      'product: RabbitMQ\nversion: 3.12.14\nplatform: Erlang/OTP 25.3.2.8\nmechanisms: PLAIN AMQPLAIN',
    )
    expect(names).toContain('erlang:erlang/otp:25.3.2.8')
  })

  it('identifies a broker on an unusual port, which answers HTTP with its protocol', async () => {
    const treat = (socket: Socket) =>
      socket.once('data', (received: Buffer) => {
        if (received.includes('HTTP/1.1')) return void socket.end('AMQP\0\0\x09\x01')
        broker()(socket)
        socket.emit('data', received)
      })
    await using server = await listen('127.70.2.41', 5673, treat)
    const { services, names } = await identified(server.address, [5673])
    expect(services).toMatchObject([{ protocol: 'amqp' }])
    expect(names).toContain('vmware:rabbitmq:3.12.14')
  })

  it('identifies RDP with its security protocol and certificate', async () => {
    const certificate = certificateFor({ name: 'desk.lab.test' })
    await using server = await listen('127.70.2.42', 3389, desktop({ accepts: [2, 1], certificate }))
    const { services } = await identified(server.address, [3389])
    expect(services).toMatchObject([
      { protocol: 'rdp', banner: expect.stringContaining('CredSSP'), certificate: { names: ['desk.lab.test'] } },
    ])
  })

  it('identifies a broker inside TLS on its default port', async () => {
    const certificate = certificateFor({ name: 'mq.lab.test' })
    const treat = (socket: Socket) =>
      broker()(new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => undefined))
    await using server = await listen('127.70.2.45', 5671, treat)
    const { services, names } = await identified(server.address, [5671])
    expect(services).toMatchObject([{ protocol: 'amqp', tls: true, certificate: { names: ['mq.lab.test'] } }])
    expect(names).toContain('vmware:rabbitmq:3.12.14')
  })

  it('identifies a service inside TLS on an unusual port', async () => {
    const certificate = certificateFor({ name: 'cache.lab.test' })
    const treat = (socket: Socket) => {
      const inside = new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => undefined)
      inside.on('data', (received: Buffer) => {
        if (received.includes('PING')) return void inside.write('+PONG\r\n')
        if (received.includes('INFO')) return void inside.write('$20\r\nredis_version:7.0.15\r\n')
        inside.destroy()
      })
    }
    await using server = await listen('127.70.2.47', 16390, treat)
    const { services } = await identified(server.address, [16390])
    expect(services).toMatchObject([{ protocol: 'redis', tls: true }])
  })

  it.each([
    [12_121, '220 Welcome to the file service\r\n', 'ftp'],
    [12_122, '220 mx.shop.example ready\r\n', 'smtp'],
    [12_123, '421 Too many connections\r\n', 'smtp'],
  ])('distinguishes FTP from SMTP on the unusual port %i: %j', async (port, banner, protocol) => {
    await using server = await listen('127.70.2.48', port, greet(banner))
    const { services } = await identified(server.address, [port])
    expect(services).toMatchObject([{ protocol }])
  })

  it('asks a server again that was busy with its start page', async () => {
    let pages = 0
    const treat = (socket: Socket) => {
      socket.on('data', (data) => {
        if (data.toString('latin1').startsWith('GET / HTTP/1.1')) pages++
        if (pages > 1) socket.end('HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nContent-Length: 4\r\n\r\nshop')
      })
    }
    await using server = await listen('127.70.2.50', 3000, treat)
    const { services, names } = await identified(server.address, [3000])
    expect([services, names]).toMatchObject([[{ protocol: 'http' }], ['f5:nginx:1.22.1']])
  })

  it('reads the page of a slow web server that also speaks HTTP/2', async () => {
    const page = 'HTTP/1.1 200 OK\r\nServer: lighttpd/1.4.69\r\nContent-Length: 4\r\n\r\nshop'
    const treat = (socket: Socket) => {
      const answers: NodeJS.Timeout[] = []
      socket.on('data', (data) => {
        const text = data.toString('latin1')
        if (text.startsWith('PRI * HTTP/2.0')) socket.write(bytes('000000 04 00 00000000'))
        else if (text.startsWith('GET / HTTP/1.1')) answers.push(setTimeout(() => socket.end(page), 2800))
        else socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      })
      socket.on('close', () => answers.forEach(clearTimeout))
    }
    await using server = await listen('127.70.2.53', 3000, treat)
    const { services, names } = await identified(server.address, [3000])
    expect([services, names]).toMatchObject([[{ protocol: 'http' }], ['lighttpd:lighttpd:1.4.69']])
  })

  it('names a gRPC server inside TLS, which answers requests for pages with a status of its own', async () => {
    const server = createSecureServer(certificateFor({ name: 'lab.test' }), (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/grpc', 'grpc-status': '2' }).end()
    }).listen(0, '127.70.2.52')
    await once(server, 'listening')
    const bound = server.address()
    const port = typeof bound === 'object' && bound ? bound.port : 0
    expect((await identified('127.70.2.52', [port])).services).toMatchObject([{ protocol: 'grpc', tls: true }])
    server.close()
  })

  it('waits for a slow service on its usual port', async () => {
    const treat = (socket: Socket) => {
      const answers: NodeJS.Timeout[] = []
      socket.on('data', (data) => {
        if (data.includes('list_dbs'))
          answers.push(setTimeout(() => socket.write('{"id":"glacis","error":null,"result":["Open_vSwitch"]}'), 1800))
      })
      socket.on('close', () => answers.forEach(clearTimeout))
    }
    await using server = await listen('127.70.2.51', 6640, treat)
    expect((await identified(server.address, [6640])).services).toMatchObject([{ protocol: 'ovsdb' }])
  })

  it('reads a late greeting on any port', async () => {
    const treat = (socket: Socket) => {
      const greeting = setTimeout(() => socket.write('RFB 003.008\n'), 2500)
      socket.on('close', () => clearTimeout(greeting))
    }
    await using server = await listen('127.70.2.52', 5911, treat)
    expect((await identified(server.address, [5911])).services).toMatchObject([{ protocol: 'vnc' }])
  })

  it('waits for a mail server that greets late and rejects clients that speak before', async () => {
    const treat = (socket: Socket) => {
      const greeting = setTimeout(() => socket.write('220 mx.shop.example ESMTP Postfix\r\n'), 2500)
      socket.on('close', () => clearTimeout(greeting))
      socket.once('data', () => {
        if (!socket.bytesWritten) socket.end('550 5.5.1 Protocol error\r\n')
      })
    }
    await using server = await listen('127.70.2.49', 2525, treat)
    const { services } = await identified(server.address, [2525])
    expect(services).toMatchObject([{ protocol: 'smtp', banner: expect.stringMatching(/^220 mx/) }])
  })

  it('reads the certificate of a mail server after STARTTLS', async () => {
    const certificate = certificateFor({ name: 'mx.lab.test' })
    const treat = (socket: Socket) => {
      socket.write('220 mx ESMTP Postfix\r\n')
      const hear = (received: Buffer) => {
        if (received.includes('EHLO')) return void socket.write('250-mx\r\n250 STARTTLS\r\n')
        socket.off('data', hear)
        socket.write('220 go ahead\r\n')
        new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => undefined)
      }
      socket.on('data', hear)
    }
    await using server = await listen('127.70.2.43', 2525, treat)
    const { services } = await identified(server.address, [2525])
    expect(services).toMatchObject([{ protocol: 'smtp', tls: false, certificate: { names: ['mx.lab.test'] } }])
  })
})

it('names a service of an unknown protocol as its greeting states', async () => {
  await using server = await listen('127.70.2.44', 2100, greet('FooServer 4.2.1 ready for you\r\n'))
  expect((await identified(server.address, [2100])).names).toEqual(['fooserver:fooserver:4.2.1'])
})

it('names a Kudu server by its response to the negotiation', async () => {
  const negotiation = Buffer.from('0000001e0b08dfffffffffffffffff011108011001220712', 'hex')
  const listener = (socket: Socket) =>
    void socket.on('data', (received) => received.indexOf('hrpc') === 0 && socket.write(negotiation))
  await using server = await listen('127.70.2.45', 7051, listener)
  const { services, names } = await identified(server.address, [7051])
  expect(services).toMatchObject([{ protocol: 'kudu' }])
  expect(names).toEqual(['apache:kudu:*'])
})

it('names a BaseX database by the realm that it sends first', async () => {
  await using server = await listen('127.70.2.44', 1984, greet('BaseX:417351767301\0'))
  const { services, names } = await identified(server.address, [1984])
  expect(services).toMatchObject([{ protocol: 'basex' }])
  expect(names).toEqual(['basex:basex:*'])
})

it.each([
  'ready to serve 4.2.1 requests\r\n',
  '220 acme-box 1.2.3 ready\r\n',
  'SSH-2.0-Made_Up_7.1\r\n',
  '* OK hello 9.9\r\n',
])('does not identify a product from generic banner text: %j', async (banner) => {
  await using server = await listen('127.70.2.44', 2100, greet(banner))
  const { services, names } = await identified(server.address, [2100])
  expect(services[0]?.banner).toContain(banner.trim())
  expect(names).toEqual([])
})

it('does not name Redis for a server that only shares its protocol', async () => {
  const replies = respond([
    [/PING\r\n$/, '+PONG\r\n'],
    [/INFO/, '-ERR Unsupported command\r\n'],
  ])
  await using server = await listen('127.70.2.45', 6379, replies)
  const { services, names } = await identified(server.address, [6379])
  expect(services).toMatchObject([{ protocol: 'redis' }])
  expect(names).toEqual([])
})

describe('a web server', () => {
  /** Serves the pages of one site on its own port. */
  async function site(address: string, pages: Readonly<Record<string, string>>, headers: Record<string, string> = {}) {
    const server = createServer((request, response) => {
      const page = pages[request.url ?? '']
      response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html', ...headers })
      response.end(page ?? 'no such page', 'latin1')
    }).listen(0, address)
    await once(server, 'listening')
    const bound = server.address()
    const port = typeof bound === 'object' && bound ? bound.port : 0
    return { address, port, [Symbol.dispose]: () => (server.closeAllConnections(), void server.close()) }
  }

  it('is identified by cookies, generator, and script libraries', async () => {
    const pages = {
      '/': '<html><head><meta name="generator" content="WordPress 6.4.2"><script src="/app.js"></script></head></html>',
      '/app.js': `${'x'.repeat(9000)};/*! jQuery v1.12.4 | (c) jQuery Foundation */\nvar a={VERSION:"1.12.4"}`,
    }
    using server = await site('127.70.3.1', pages, { 'set-cookie': 'laravel_session=abc; path=/' })
    const { names } = await identified(server.address, [server.port])
    expect(names).toEqual(expect.arrayContaining(['wordpress:wordpress:6.4.2', 'jquery:jquery:1.12.4']))
    expect(names.some((name) => name.startsWith('laravel:'))).toBe(true)
  })

  it('has no library that its scripts only require', async () => {
    const pages = {
      '/': '<html><head><script src="/app.js"></script></head></html>',
      '/app.js': `throw new Error("Bootstrap's JavaScript requires at least jQuery v1.9.1 but less than v4.0.0")`,
    }
    using server = await site('127.70.3.1', pages)
    expect((await identified(server.address, [server.port])).names).toEqual([])
  })

  it.each([
    ['{"name":"acme-ledger","version":"2.4.1"}', ['acme-ledger:acme-ledger:2.4.1']],
    ['<title>Acme Wiki 3.2.1</title>', ['acme_wiki:acme_wiki:3.2.1']],
    ['<meta name="application-name" content="Acme Wiki">', ['acme_wiki:acme_wiki:*']],
    ['{"name":"api","version":"1.0.0"}', []],
    ['<title>Release 2.4.1</title>', []],
    ['<meta name="application-name" content="React App">', []],
    [
      '<meta name="generator" content="WordPress 6.4.2"><meta name="application-name" content="Corner Shop">',
      ['wordpress:wordpress:6.4.2'],
    ],
  ])('names itself, if no fingerprint does: %s', async (page, expected) => {
    using server = await site('127.70.3.3', { '/': page })
    expect((await identified(server.address, [server.port])).names).toEqual(expected)
  })

  it('that is known has no second name from the command line in expvar', async () => {
    const pages = {
      '/': '<meta name="generator" content="WordPress 6.4.2">',
      '/debug/vars': '{"cmdline": ["/bin/blog"]}',
    }
    using server = await site('127.70.3.4', pages)
    expect((await identified(server.address, [server.port])).names).toEqual(['wordpress:wordpress:6.4.2'])
  })

  it('has no second vendor if its page repeats the name in its header', async () => {
    using server = await site('127.70.3.5', { '/': '<title>nginx 1.22.1</title>' }, { server: 'nginx/1.22.1' })
    const { names } = await identified(server.address, [server.port])
    expect(names).toEqual(['f5:nginx:1.22.1'])
  })

  it('whose start page never responds is not requested once per probe', async () => {
    let requests = 0
    // Like a reload server, it rejects what isn't HTTP and ignores what is.
    await using server = createServer(() => void requests++).listen(0, '127.70.3.9')
    await once(server, 'listening')
    const address = server.address()
    if (!address || typeof address === 'string') throw new Error('a TCP server has a port')
    const { services } = await identified('127.70.3.9', [address.port])
    expect(services).toMatchObject([{ port: address.port, protocol: '' }])
    expect(requests).toBeLessThan(10)
  })

  it('is identified by its favicon hash', async () => {
    const icon = Buffer.from('00000100010010100000010020006804', 'hex').toString('latin1')
    const folder = await mkdtemp(join(tmpdir(), 'glacis-icons-'))
    const record = `<fingerprint pattern="^${faviconHash(Buffer.from(icon, 'latin1'))}$"><description>Acme</description>
      <param pos="0" name="service.cpe23" value="cpe:/a:acme:portal:-"/></fingerprint>`
    const file = `<fingerprints matches="favicon.mmh3" protocol="http" preference="0.5">${record}</fingerprints>`
    await writeFile(join(folder, 'icons.xml'), file)
    const known = await loadPacks({ fingerprints: [folder], checks: [], native: false })
    const page = '<html><head><link rel="shortcut icon" href="/own.ico"></head></html>'
    using server = await site('127.70.3.2', { '/': page, '/own.ico': icon })
    const { names } = await identified(server.address, [server.port], known)
    await rm(folder, { recursive: true })
    expect(names).toEqual(['acme:portal:*'])
  })
})
