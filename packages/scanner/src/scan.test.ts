import { createServer } from 'node:http'
import { once } from 'node:events'
import { type Observation, type ScanJob, Observation as ObservationSchema } from '@glacis/contract/runner'
import { afterAll, describe, expect, it } from 'vitest'
import { loadPacks, scan, type ScanOptions } from '#index.ts'
import { dribble, flood, greet, listen, neverFinishTls, reset, sendNothing, respond } from '#testing/loopback.ts'

const packs = await loadPacks({
  fingerprints: [new URL('../../../packs/fingerprints', import.meta.url).pathname],
  checks: [new URL('./testing/checks', import.meta.url).pathname],
  native: false,
})

async function observe(job: Partial<ScanJob>, options: Partial<ScanOptions> = {}): Promise<Observation[]> {
  const whole = { hosts: [], allow: ['127.41.0.0/16'], profile: 'deep' as const, ...job }
  const signal = new AbortController().signal
  const observations: Observation[] = []
  for await (const observation of scan(whole, { signal, packs, ...options })) {
    observations.push(ObservationSchema.parse(observation))
  }
  return observations
}

function ofKind<Kind extends Observation['kind']>(kind: Kind, observations: readonly Observation[]) {
  return observations.filter(
    (observation): observation is Extract<Observation, { kind: Kind }> => observation.kind === kind,
  )
}

describe('scan', () => {
  it('reports host, service, software, and coverage in that order', async () => {
    await using ssh = await listen('127.41.2.1', 0, greet('SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u10\r\n'))
    const observations = await observe({ hosts: [{ address: ssh.address }], ports: [ssh.port] })
    expect(observations.map(({ kind }) => kind)).toEqual([
      'progress',
      'host',
      'service',
      'technology',
      'finding',
      'coverage',
      'progress',
    ])
    expect(observations[1]).toMatchObject({ reached: true, reason: `port ${ssh.port} open` })
    expect(observations[2]).toMatchObject({ protocol: 'ssh', tls: false, port: ssh.port })
    expect(observations[3]).toMatchObject({
      name: 'OpenSSH',
      revision: 'Debian-2+deb12u10',
      quality: 80,
      wfn: { text: 'cpe:2.3:a:openbsd:openssh:9.2:p1:*:*:*:*:*:*' },
    })
    expect(observations[4]).toMatchObject({ check: 'example-greeting', location: String(ssh.port) })
    expect(observations[5]).toMatchObject({ port: ssh.port, checks: ['example-greeting'] })
  })

  it('reads the headers, title, and products of web servers', async () => {
    const server = createServer((request, response) => {
      response.setHeader('Server', 'Apache/2.4.6 (CentOS) OpenSSL/1.0.2k-fips PHP/5.4.16')
      if (request.url === '/.env') return response.end('APP_KEY=base64:abc')
      return response.end(request.url === '/version' ? '{"etcdserver":"3.4.23"}' : '<title>A &amp; B</title>')
    }).listen(0, '127.41.2.2')
    await once(server, 'listening')
    afterAll(() => server.close())
    const bound = server.address()
    const port = typeof bound === 'object' && bound ? bound.port : 0
    const observations = await observe({ hosts: [{ address: '127.41.2.2', names: ['lab.test'] }], ports: [port] })
    server.closeAllConnections()
    expect(ofKind('service', observations)).toMatchObject([{ protocol: 'http', http: { status: 200, title: 'A & B' } }])
    const names = ofKind('technology', observations).map(
      ({ wfn, quality }) => `${wfn.vendor}:${wfn.product}:${wfn.version} ${quality}`,
    )
    expect(names.toSorted()).toEqual([
      'apache:http_server:2.4.6 80',
      'etcd:etcd:3.4.23 80',
      'openssl:openssl:1.0.2k 80',
      'php:php:5.4.16 80',
    ])
    expect(ofKind('finding', observations)).toMatchObject([{ check: 'example-page', port, quality: 99 }])
    expect(ofKind('coverage', observations)).toMatchObject([{ port, checks: ['example-page'] }])
  })

  it('probes a silent service with its protocol', async () => {
    await using redis = await listen(
      '127.41.2.3',
      6379,
      respond([
        [/PING\r\n$/, '+PONG\r\n'],
        [/INFO/, '$40\r\n# Server\r\nredis_version:7.0.15\r\n'],
      ]),
    )
    const observations = await observe({ hosts: [{ address: redis.address }], ports: [redis.port] })
    expect(ofKind('service', observations)).toMatchObject([{ protocol: 'redis' }])
    expect(ofKind('technology', observations)).toMatchObject([{ wfn: { vendor: 'redis', version: '7.0.15' } }])
  })

  it('isolates misbehaving hosts and limits what it reads', async () => {
    const behaviors = [flood, reset, sendNothing, dribble(50), neverFinishTls, greet('\0\x1b[31mRED\x07\u202e')]
    const servers = await Promise.all(behaviors.map((treat, index) => listen(`127.41.3.${index + 1}`, 8443, treat)))
    await using good = await listen('127.41.3.9', 8443, greet('220 (vsFTPd 3.0.3)\r\n'))
    const hosts = [...servers, good].map(({ address }) => ({ address }))
    const observations = await observe({ hosts, ports: [8443] })
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
    const services = ofKind('service', observations)
    expect(services.map(({ address }) => address).toSorted()).toEqual(hosts.map(({ address }) => address))
    for (const { banner } of services) expect(banner).not.toMatch(/[^\P{C}\n\r\t]/u)
    expect(ofKind('problem', observations)).toEqual([])
  })

  it('reports denied ports instead of connecting to them', async () => {
    await using server = await listen('127.41.4.1', 0, sendNothing)
    const hosts = [{ address: server.address }, { address: '169.254.169.254' }]
    const observations = await observe({
      hosts,
      ports: [server.port],
      allow: ['0.0.0.0/0'],
      deny: [`${server.address}:${server.port}`],
    })
    expect(ofKind('host', observations).map(({ reached }) => reached)).toEqual([false, false])
    expect(
      ofKind('problem', observations)
        .map(({ message }) => message)
        .toSorted(),
    ).toEqual([
      `1 port was not scanned: 169.254.169.254 is a cloud metadata address, which is never scanned.`,
      `1 port was not scanned: port ${server.port} of 127.41.4.1 is excluded.`,
    ])
    expect(server.received()).toBe('')
  })

  it('confirms that a previously open port is closed', async () => {
    await using open = await listen('127.41.5.1', 0, sendNothing)
    const knownOpen = { '127.41.5.1': [open.port, 4], '127.41.5.2': [5] }
    const observations = await observe({ hosts: [{ address: open.address }], ports: [open.port] }, { knownOpen })
    expect(ofKind('closed', observations)).toEqual([{ kind: 'closed', address: '127.41.5.1', ports: [4] }])
  })

  it('reports an unresolvable name and continues', async () => {
    const observations = await observe({
      hosts: [{ address: 'no-such-host.invalid' }, { address: '127.41.6.1' }],
      ports: [80],
    })
    const reached = ofKind('host', observations).map((host) => `${host.address} ${host.reached}`)
    expect(reached.toSorted()).toEqual(['127.41.6.1 true', 'no-such-host.invalid false'])
    expect(observations.at(-1)).toMatchObject({ kind: 'progress', hostsDone: 2 })
  })

  it("rejects with the signal's reason and releases its resources", async () => {
    await using mute = await listen('127.41.7.1', 0, sendNothing)
    const abort = new AbortController()
    const job = { hosts: [{ address: mute.address }], ports: [mute.port], allow: ['127.41.0.0/16'] }
    const reading = (async () => {
      for await (const observation of scan(job, { packs, signal: abort.signal })) {
        if (observation.kind === 'host') abort.abort(new Error('canceled by a user'))
      }
    })()
    await expect(reading).rejects.toThrow('canceled by a user')
  })

  it('stops when the consumer stops reading', async () => {
    const hosts = Array.from({ length: 50 }, (_, index) => ({ address: `127.41.8.${index + 1}` }))
    const job = { hosts, allow: ['127.41.0.0/16'] }
    for await (const observation of scan(job, { packs, signal: new AbortController().signal })) {
      expect(observation.kind).toBe('progress')
      break
    }
  })
})
