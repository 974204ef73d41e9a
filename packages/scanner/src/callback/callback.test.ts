import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createCallbackServer } from '#callback/index.ts'
import { type BorrowedCallbacks, borrowCallbacks, lendCallbacks } from '#callback/relay.ts'
import { queryResolver } from '#net/resolver.ts'
import { serveSite, summary } from '#template/testing/site.ts'

const here = '127.66.4.1'
const settings = { publicHost: here, listen: here, httpPort: 0 }

describe('createCallbackServer', () => {
  it('records requests for its addresses only', async () => {
    const server = await createCallbackServer(settings)
    try {
      const first = server.create()
      const second = server.create()
      await fetch(`http://${first.url}`, { headers: { 'X-From': 'target' } })
      await fetch(`http://${here}:${server.httpPort}/${'0'.repeat(40)}`)
      expect(server.interactions(first.id)).toEqual([
        expect.objectContaining({ protocol: 'http', address: expect.stringMatching(/^127\./) }),
      ])
      expect(server.interactions(first.id)[0]?.request.toLowerCase()).toContain('x-from: target')
      expect(server.interactions(second.id)).toEqual([])
      expect(first.id).not.toBe(second.id)
    } finally {
      await server.close()
    }
  })

  it('resolves names of its domain and records the queries', async () => {
    const server = await createCallbackServer({ ...settings, domain: 'call.test', dnsPort: 0 })
    const options = { signal: AbortSignal.timeout(5_000), servers: [`${here}:${server.dnsPort}`] }
    try {
      const { id, url } = server.create()
      const name = url.replace(/:\d+$/, '')
      expect((await queryResolver(name, 'A', options))?.answer).toEqual([
        { name: `${name}.`, type: 'A', ttlSeconds: 1, value: here },
      ])
      expect(server.interactions(id)).toEqual([expect.objectContaining({ protocol: 'dns' })])
      expect((await queryResolver('elsewhere.test', 'A', options))?.code).toBe('REFUSED')
      expect((await queryResolver(name, 'TXT', options))?.answer).toEqual([])
    } finally {
      await server.close()
    }
  })

  it('records the name that an LDAP client looks up', async () => {
    const server = await createCallbackServer(settings)
    const { id } = server.create()
    const client = connect(server.httpPort, here)
    const reply = async (message: string) => {
      client.write(Buffer.from(message.replaceAll(' ', ''), 'hex'))
      const [received] = await once(client, 'data')
      return Buffer.from(received).toString('hex')
    }
    try {
      expect(await reply('300c 020101 6007 020103 0400 8000')).toBe('300c02010161070a010004000400')
      const base = Buffer.from(`${id}/glacis`).toString('hex')
      const search = `042f${base} 0a0100 0a0103 020100 020100 010100 870b 6f626a656374436c617373 3000`
      const done = await reply(`3054 020102 634f ${search}`)
      expect(done).toBe('300c02010265070a010004000400')
      expect(server.interactions(id)).toEqual([
        { protocol: 'ldap', request: `${id}/glacis`, response: '', address: expect.stringMatching(/^127\./) },
      ])
      const closed = once(client, 'close')
      client.write(Buffer.from('3005020103 4200'.replace(' ', ''), 'hex'))
      await closed
    } finally {
      client.destroy()
      await server.close()
    }
  })

  it.each(['30', '3080', '30840fffffff02', '3003020101', '300502010142'])(
    'closes an LDAP connection that sends %s',
    async (bytes) => {
      const server = await createCallbackServer(settings)
      const client = connect(server.httpPort, here)
      try {
        const closed = once(client, 'close')
        client.write(Buffer.from(bytes, 'hex'))
        client.resume()
        await closed
      } finally {
        await server.close()
      }
    },
  )

  it('ignores malformed DNS messages', async () => {
    const server = await createCallbackServer({ ...settings, domain: 'call.test', dnsPort: 0 })
    const socket = createSocket('udp4')
    try {
      for (const bytes of [[], [1, 2, 3], Array.from({ length: 40 }, () => 0xff)]) {
        socket.send(Buffer.from(bytes), server.dnsPort ?? 0, here)
      }
      const { url } = server.create()
      const options = { signal: AbortSignal.timeout(5_000), servers: [`${here}:${server.dnsPort}`] }
      expect((await queryResolver(url.replace(/:\d+$/, ''), 'A', options))?.code).toBe('NOERROR')
    } finally {
      socket.close()
      await once(socket, 'close')
      await server.close()
    }
  })
})

describe('lendCallbacks', () => {
  it('forwards interactions until it is disposed', async () => {
    const server = await createCallbackServer(settings)
    try {
      const lending = lendCallbacks(server, (message) => borrowed.receive(message))
      const borrowed: BorrowedCallbacks = borrowCallbacks(lending.endpoint, (request) => lending.receive(request))
      const [first, second] = [borrowed.create(), borrowed.create()]
      await fetch(`http://${first.url}`)
      await expect.poll(() => borrowed.interactions(first.id)).toEqual([expect.objectContaining({ protocol: 'http' })])
      expect(borrowed.interactions(second.id)).toEqual([])
      borrowed.forget(first.id)
      expect(borrowed.interactions(first.id)).toEqual([])
      lending[Symbol.dispose]()
      await fetch(`http://${second.url}`)
      expect(borrowed.interactions(second.id)).toEqual([])
    } finally {
      await server.close()
    }
  })

  it('limits the interactions per address', async () => {
    const server = await createCallbackServer(settings)
    try {
      using lending = lendCallbacks(server, (message) => borrowed.receive(message))
      const borrowed: BorrowedCallbacks = borrowCallbacks(lending.endpoint, (request) => lending.receive(request))
      const [loud, quiet] = [borrowed.create(), borrowed.create()]
      for (let times = 0; times < 25; times++) await fetch(`http://${loud.url}`)
      await fetch(`http://${quiet.url}`)
      await expect.poll(() => borrowed.interactions(quiet.id)).toHaveLength(1)
      expect(borrowed.interactions(loud.id)).toHaveLength(20)
    } finally {
      await server.close()
    }
  })
})

it('builds addresses that targets can reach', async () => {
  const server = await createCallbackServer({ ...settings, publicHost: '2001:db8::7', publicPort: 8080 })
  const { id, url } = server.create()
  await server.close()
  expect(url).toBe(`[2001:db8::7]:8080/${id}`)
})

const check = `id: fetches
info: { name: a, severity: high }
http:
  - raw:
      - |
        GET /go?to=http://{{interactsh-url}}/x HTTP/1.1
        Host: {{Hostname}}
    matchers:
      - { type: word, part: interactsh_protocol, words: [http] }
`

describe('a check with a callback', () => {
  it('finds a target that sends the HTTP request', async () => {
    const callbacks = await createCallbackServer(settings)
    await using site = await serveSite('127.66.4.2', (request, response) => {
      const to = new URL(request.url ?? '', 'http://here').searchParams.get('to')
      if (to === null) return void response.writeHead(404).end()
      fetch(to).then(
        () => response.end('done'),
        () => response.end('failed'),
      )
    })
    const observations = await site.run(check, { callbacks })
    await callbacks.close()
    expect(summary(observations)).toEqual({ found: ['fetches /go'], covered: ['fetches'] })
    expect(observations.find((observation) => observation.kind === 'finding')).toMatchObject({ quality: 98 })
  })

  it('finds a target that resolves the name', async () => {
    const callbacks = await createCallbackServer({ ...settings, domain: 'call.test', dnsPort: 0 })
    await using site = await serveSite('127.66.4.4', (request, response) => {
      const name = new URL(request.url ?? '', 'http://here').searchParams.get('name')
      if (name === null) return void response.writeHead(404).end()
      const options = { signal: AbortSignal.timeout(5_000), servers: [`${here}:${callbacks.dnsPort}`] }
      void queryResolver(name.replace(/:\d+$/, ''), 'A', options).then(() => response.end('asked'))
    })
    const asks = check
      .replace('id: fetches', 'id: asks')
      .replace('/go?to=http://{{interactsh-url}}/x', '/go?name={{interactsh-url}}')
    const observations = await site.run(asks.replace('words: [http]', 'words: [dns]'), { callbacks })
    await callbacks.close()
    expect(summary(observations)).toEqual({ found: ['asks /go'], covered: ['asks'] })
  })

  it('does not run without a callback server', async () => {
    await using site = await serveSite('127.66.4.3', (_request, response) => response.end('hello'))
    expect(summary(await site.run(check))).toEqual({ found: [], covered: [] })
    expect(site.asked.filter((line) => line.includes('/go'))).toEqual([])
  })
})
