import { describe, expect, it } from 'vitest'
import { findVirtualHosts } from '#fingerprint/virtual-hosts.ts'
import type { HttpFailure, HttpResponse, Origin } from '#net/http-message.ts'
import type { Certificate } from '#net/tls.ts'

const address = '192.0.2.1'
const certificate = (names: readonly string[], subject = ''): Certificate => ({
  subject,
  issuer: '',
  validFrom: '',
  validTo: '',
  names,
  selfSigned: true,
  fingerprint: '',
  keyBits: 2048,
  keyType: 'rsa',
  chainLength: 1,
})
const page = (body: string, change: Partial<HttpResponse> = {}): HttpResponse => ({
  kind: 'response',
  status: 200,
  statusText: 'OK',
  headers: [],
  body: Buffer.from(body),
  truncated: false,
  durationMs: 1,
  request: '',
  ...change,
})

/** The names found on a server, and everything sent to it. */
async function find(
  revealed: Parameters<typeof findVirtualHosts>[1],
  serve: (hostname: string, count: number) => HttpResponse | HttpFailure,
  hostname = address,
) {
  const sent: Origin[] = []
  const request = (origin: Origin) => Promise.resolve(serve(origin.hostname, sent.push(origin)))
  const origin = { address, port: 443, tls: true, hostname }
  const found = await findVirtualHosts(origin, revealed, { http: { request }, signal: AbortSignal.timeout(1000) })
  return { found, sent }
}
const shop = (name: string) =>
  name === 'app.shop.example' ? page('<title>App</title>') : page('<title>Welcome</title>')

describe('names', () => {
  it.each([
    ['subject', { certificate: certificate([], 'C=DE, CN=app.shop.example'), traces: [] }],
    [
      'alternative names',
      { certificate: certificate(['*.shop.example', '192.0.2.1', 'app.shop.example']), traces: [] },
    ],
    ['redirect', { traces: [{ field: 'http_header.location', text: 'https://App.shop.example:8443/login' }] }],
    [
      'canonical link',
      { traces: [{ field: 'http.body', text: '<link rel="canonical" href="https://app.shop.example/">' }] },
    ],
    [
      'policy',
      {
        traces: [
          {
            field: 'http_header.content-security-policy',
            text: "default-src https://app.shop.example; img-src 'self'",
          },
        ],
      },
    ],
    [
      'allowed origin',
      { traces: [{ field: 'http_header.access-control-allow-origin', text: 'https://app.shop.example' }] },
    ],
  ])('come from its %s', async (_where, revealed) => {
    expect((await find(revealed, shop)).found).toEqual(['app.shop.example'])
  })

  const refused = { kind: 'failure', reason: 'the connection was closed', local: false } as const

  it('count where the server refuses those that it does not know', async () => {
    const strict = (name: string) => ([address, 'app.shop.example'].includes(name) ? shop(name) : refused)
    const names = ['other.shop.example', 'app.shop.example']
    expect((await find({ certificate: certificate(names), traces: [] }, strict)).found).toEqual(['app.shop.example'])
  })

  it('are requested again after a failure', async () => {
    let isFirst = true
    const flaky = (name: string) => {
      if (name !== 'app.shop.example' || !isFirst) return shop(name)
      isFirst = false
      return refused
    }
    const revealed = { certificate: certificate(['app.shop.example']), traces: [] }
    expect((await find(revealed, flaky)).found).toEqual(['app.shop.example'])
  })

  it('are only sent to the same address and port', async () => {
    const { sent } = await find({ certificate: certificate(['app.shop.example']), traces: [] }, shop)
    expect(sent.map(({ address: to, port }) => `${to}:${port}`)).toEqual(Array(3).fill('192.0.2.1:443'))
  })

  it('are at most three', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}.shop.example`)
    const { found, sent } = await find({ certificate: certificate(names), traces: [] }, (name) =>
      page(names.includes(name) ? `<title>${name[0]}</title>` : ''),
    )
    expect(found).toEqual(names.slice(0, 3))
    expect(sent).toHaveLength(5)
  })

  it("are not requested if there are none other than the target's", async () => {
    const { sent } = await find(
      { certificate: certificate(['app.shop.example', '*.shop.example', 'localhost']), traces: [] },
      shop,
      'app.shop.example',
    )
    expect(sent).toEqual([])
  })
})

describe('a site does not count', () => {
  const revealed = { certificate: certificate(['app.shop.example']), traces: [] }
  it.each([
    ['if it only mentions its name and the time', (name: string, count: number) => page(`${name} at ${count}`)],
    ['if every page differs', (_name: string, count: number) => page(`token ${'x'.repeat(count)}`)],
    [
      'if it redirects to its own name',
      (name: string) => page('', { status: 301, headers: [['Location', `https://${name}/`]] }),
    ],
    [
      'if it redirects like all names',
      () => page('', { status: 301, headers: [['Location', 'https://app.shop.example/']] }),
    ],
    [
      'if it is missing',
      (name: string) => (name === 'app.shop.example' ? page('not found', { status: 404 }) : page('welcome')),
    ],
  ])('%s', async (_when, serve) => {
    expect((await find(revealed, serve)).found).toEqual([])
  })
})
