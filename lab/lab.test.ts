import { createSocket } from 'node:dgram'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadPacks } from '@glacis/scanner'
import { type Lab, type LabHost, startLab } from './servers.ts'

// Not the demo's network, so that both can run at the same time.
const network = `127.${100 + (process.pid % 100)}.${process.pid % 250}.0/28`
let lab: Lab
const lines: string[] = []
beforeAll(async () => {
  lab = await startLab({ network, log: (line) => lines.push(line) })
})
afterAll(() => lab.stop())

it('starts every host on its own address and logs it', () => {
  expect(new Set(lab.hosts.map(({ address }) => address)).size).toBe(lab.hosts.length)
  expect(lines).toHaveLength(lab.hosts.length)
  for (const { ports } of lab.hosts) expect(ports.length).toBeGreaterThan(0)
})

it('only listens on loopback', async () => {
  await expect(startLab({ network: '192.0.2.0/28' })).rejects.toThrow('loopback')
})

it('expects only known checks and threats', async () => {
  const threats = files('packs/threats', '.json')
    .map((file) => readFileSync(file, 'utf8'))
    .join()
  const folder = join(import.meta.dirname, '../packs/checks')
  const { checks } = await loadPacks({ checks: [folder], fingerprints: [] })
  for (const id of lab.hosts.flatMap(({ expected }) => expected)) {
    if (id.startsWith('CVE-')) expect(threats, id).toContain(`"id": "${id}"`)
    else expect(checks.map((check) => check.id)).toContain(id)
  }
})

describe('storefront', () => {
  it('exposes files of its deployment', async () => {
    const storefront = host('storefront')
    expect((await get(storefront, '/')).server).toBe('Apache/2.4.49 (Unix)')
    expect((await get(storefront, '/.git/config')).body).toContain('[core]')
    expect((await get(storefront, '/.env')).body).toMatch(/^DB_PASSWORD=/m)
    expect((await get(storefront, '/backup/')).body).toContain('<title>Index of /backup</title>')
    expect((await get(storefront, '/backup/dump.sql')).body).toContain('INSERT INTO')
    expect((await get(storefront, '/nothing')).status).toBe(404)
  })
  it.each(['/cgi-bin/.%2e/.%2e/.%2e/.%2e/etc/passwd', '/icons/.%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd'])(
    'allows path traversal by %s',
    async (path) => {
      expect((await get(host('storefront'), path)).body).toMatch(/^root:.*:0:0:/)
    },
  )
  it('rejects path traversal by a plain path', async () => {
    expect((await get(host('storefront'), '/cgi-bin/../../etc/passwd')).status).toBe(404)
  })
})

describe('other web servers', () => {
  it('nginx exposes its statistics', async () => {
    const response = await get(host('edge'), '/nginx_status')
    expect([response.server, response.body]).toEqual(['nginx/1.18.0', expect.stringContaining('Active connections:')])
  })
  it('Grafana allows path traversal', async () => {
    const dashboards = host('dashboards')
    expect(JSON.parse((await get(dashboards, '/api/health')).body)).toMatchObject({ version: '8.2.0' })
    expect((await get(dashboards, `/public/plugins/alertlist/${'../'.repeat(10)}etc/passwd`)).body).toMatch(/^root:/)
  })
  it("PHP multiplies numbers in the backdoor's header", async () => {
    const headers = { 'User-Agentt': 'zerodiumvar_dump(233333*333332);' }
    expect((await get(host('staging'), '/', headers)).body).toContain('int(77777355556)')
    expect((await get(host('staging'), '/', { 'User-Agentt': 'zerodiumsystem("id");' })).body).not.toContain('uid=')
  })
  it('Elasticsearch requires no authentication', async () => {
    expect((await get(host('search'), '/')).body).toContain('You Know, for Search')
  })
  it('the hardened host has one page and all security headers', async () => {
    const response = await get(host('hardened'), '/')
    expect(response.status).toBe(200)
    expect(response.headers['content-security-policy']).toContain("default-src 'none'")
    expect(response.server).toBe('')
    expect(host('hardened').expected).toEqual([])
  })
})

describe('data stores', () => {
  it.each([['INFO\r\n'], ['*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n']])('Redis responds to %j', async (command) => {
    expect(await converse(host('cache'), [command], 'redis_mode')).toContain('redis_version:6.0.9')
  })
  it('Redis accepts a command in several packets', async () => {
    expect(await converse(host('cache'), ['*1\r\n$4\r\nPI', 'NG\r\n'], 'PONG')).toBe('+PONG\r\n')
  })
  it('Memcached responds over TCP and amplifies over UDP', async () => {
    const sessions = host('sessions')
    expect(await converse(sessions, ['stats\r\n'], 'END')).toContain('STAT version 1.5.5')
    const socket = createSocket('udp4')
    try {
      socket.send(Buffer.from('\0\x01\0\0\0\x01\0\0stats\r\n', 'latin1'), sessions.ports.at(-1), sessions.address)
      const [message] = await once(socket, 'message')
      expect(message.length).toBeGreaterThan(1000)
    } finally {
      socket.close()
    }
  })
  it('the MQTT broker accepts anonymous connections and publishes its version', async () => {
    const connect = Buffer.from([0x10, 16, 0, 4, ...Buffer.from('MQTT'), 4, 2, 0, 60, 0, 4, ...Buffer.from('scan')])
    const topic = Buffer.from('$SYS/broker/version')
    const subscribe = Buffer.from([0x82, topic.length + 5, 0, 1, 0, topic.length, ...topic, 0])
    const response = await converse(host('telemetry'), [connect, subscribe], 'mosquitto version')
    expect([...Buffer.from(response, 'latin1').subarray(0, 4)]).toEqual([0x20, 2, 0, 0])
  })
})

describe('remote access', () => {
  it('SSH offers its version and old algorithms', async () => {
    const response = await converse(host('bastion'), ['SSH-2.0-test\r\n'], 'diffie-hellman-group1-sha1')
    expect(response).toMatch(/^SSH-2\.0-OpenSSH_8\.9p1\r\n/)
    const packet = Buffer.from(response.slice(response.indexOf('\n') + 1), 'latin1')
    expect((packet.readUInt32BE() + 4) % 8).toBe(0)
    expect(packet[5]).toBe(20)
  })
  it('FTP accepts anonymous users and lists files', async () => {
    const commands = ['USER anonymous\r\n', 'PASS a@b\r\n', 'EPSV\r\n']
    const response = await converse(host('transfer'), commands, '229 ', async (received, send) => {
      const [, port] = /\|\|\|(\d+)\|/.exec(received) ?? []
      send('LIST\r\n')
      return read({ address: host('transfer').address, port: Number(port) })
    })
    expect(response).toMatch(/^220 ProFTPD 1\.3\.5 Server/)
    expect(response).toContain('230 Anonymous user logged in')
    expect(response).toContain('welcome.txt')
  })
  it('FTP accepts copy commands before login', async () => {
    const response = await converse(
      host('transfer'),
      ['SITE CPFR /etc/hostname\r\n', 'SITE CPTO /tmp/x\r\n'],
      'Copy successful',
    )
    expect(response).toContain('350 File or directory exists')
  })
  it('the tarpit accepts connections', async () => {
    const { address, ports } = host('tarpit')
    const socket = connectTcp(ports[0] ?? 0, address)
    await once(socket, 'connect')
    socket.destroy()
  })
})

describe('intranet', () => {
  it('accepts TLS 1.0 with an expired self-signed certificate', async () => {
    const socket = await handshake(host('intranet'), 'TLSv1')
    const certificate = socket.getPeerCertificate()
    expect(socket.getProtocol()).toBe('TLSv1')
    expect(Date.parse(certificate.valid_to)).toBeLessThan(Date.now())
    expect(certificate.subject.CN).toBe('intranet.lab.test')
    expect(certificate.issuer.CN).toBe('intranet.lab.test')
    expect(certificate.bits).toBe(1024)
    socket.destroy()
  })
  it('serves a page', async () => {
    expect((await get(host('intranet'), '/', {}, true)).server).toBe('lighttpd/1.4.45')
  })
})

describe('fix()', () => {
  it.each([
    ['storefront', 'env-file', async () => (await get(host('storefront'), '/.env')).status, 404],
    ['cache', 'redis-open', () => converse(host('cache'), ['INFO\r\n'], '\n'), '-NOAUTH Authentication required.\r\n'],
    ['edge', 'nginx-version', async () => (await get(host('edge'), '/')).server, 'nginx'],
  ] as const)('%s: %s', async (name, weakness, probe, expected) => {
    const before = host(name)
    lab.fix(name, weakness)
    expect(await probe()).toBe(expected)
    expect(host(name).weaknesses).toEqual(before.weaknesses.filter((item) => item !== weakness))
    expect(host(name).expected.length).toBeLessThan(before.expected.length)
  })
  it('applies to TLS from the next handshake on', async () => {
    lab.fix('intranet', 'tls-old')
    await expect(handshake(host('intranet'), 'TLSv1')).rejects.toThrow()
  })
  it('rejects an unknown weakness', () => {
    expect(() => lab.fix('hardened', 'env-file')).toThrow('has no weakness')
  })
  it('can be replaced by starting with some weaknesses only', async () => {
    const other = await startLab({ network: network.replace('.0/28', '.64/28'), weaknesses: ['env-file'] })
    try {
      expect(other.hosts.flatMap(({ weaknesses }) => weaknesses)).toEqual(['env-file'])
    } finally {
      await other.stop()
    }
  })
})

it('closes all ports when stopped', async () => {
  const other = await startLab({ network: network.replace('.0/28', '.128/28') })
  await other.stop()
  const [first] = other.hosts
  const socket = connectTcp(first?.ports[0] ?? 0, first?.address ?? '')
  await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED')
})

/** Files below a folder of the repository with this extension; empty if the folder is missing. */
function files(folder: string, ending: string): string[] {
  const root = join(import.meta.dirname, '..', folder)
  if (!existsSync(root)) return []
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith(ending)).map((name) => join(root, name))
}

function host(name: string): LabHost {
  const host = lab.hosts.find((item) => item.name === name)
  if (!host) throw new Error(`No host ${name}`)
  return host
}

async function get({ address, ports }: LabHost, path: string, headers = {}, isTls = false) {
  const options = { host: address, port: ports[0], path, headers, agent: false } as const
  const outgoing = isTls ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options)
  outgoing.end()
  const [response] = await once(outgoing, 'response')
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode, headers: response.headers, server: response.headers.server ?? '', body }
}

/** Sends the commands, reads until the text arrives, then passes the connection to `then`. */
async function converse(
  { address, ports }: LabHost,
  commands: readonly (string | Buffer)[],
  until: string,
  then?: (received: string, send: (text: string) => void) => Promise<string>,
): Promise<string> {
  const socket = connectTcp(ports[0] ?? 0, address)
    .setEncoding('latin1')
    .setNoDelay()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
    if (received.includes(until)) resolve(received)
  })
  socket.on('error', reject).on('end', () => resolve(received))
  try {
    for (const command of commands) socket.write(command)
    const response = await promise
    return response + (then ? await then(response, (text) => socket.write(text)) : '')
  } finally {
    socket.destroy()
  }
}

async function read({ address, port }: { address: string; port: number }): Promise<string> {
  let received = ''
  for await (const chunk of connectTcp(port, address).setEncoding('latin1')) received += chunk
  return received
}

async function handshake({ address, ports }: LabHost, version: 'TLSv1'): Promise<TLSSocket> {
  const socket = connectTls({
    host: address,
    port: ports[0],
    minVersion: version,
    maxVersion: version,
    ciphers: 'ALL:@SECLEVEL=0',
    rejectUnauthorized: false,
  })
  await once(socket, 'secureConnect')
  return socket
}
