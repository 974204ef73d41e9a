import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Observation } from '@glacis/contract/runner'
import { createHttpClient, type HttpClient } from '#net/http.ts'
import { parseTemplate } from '#template/parse.ts'
import { runChecks } from '#template/run.ts'
import type { IdentifiedService } from '#template/service-run.ts'

const address = '127.42.3.1'
const guard = { denialReason: () => null }
const closers: (() => unknown)[] = []
let requests: string[] = []
let client: HttpClient
beforeEach(() => {
  requests = []
  client = createHttpClient({ guard, deadlineMs: 3_000 })
  closers.push(() => client.close())
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A site by path; unknown paths return 404. */
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer((request: IncomingMessage, response) => {
    requests.push(`${request.method} ${request.url}`)
    request.resume()
    listener(request, response)
  }).listen(0, address)
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const bound = server.address()
  return typeof bound === 'object' && bound ? bound.port : 0
}

/** The page where the condition is met; 404 elsewhere. */
function only(response: ServerResponse, isThere: boolean, page = 'needle') {
  response.writeHead(isThere ? 200 : 404).end(isThere ? page : 'no such page')
}

interface Sketch {
  readonly id: string
  readonly path: string
  readonly severity?: string
  readonly extra?: string
  readonly matcher?: string
  readonly product?: string
}
function plan(...sketches: readonly Sketch[]) {
  const templates = sketches.map(
    ({ id, path, severity = 'low', extra = '', matcher = 'type: word, words: [needle]', product }) => {
      const source = `id: ${id}\ninfo: { name: ${id}, severity: ${severity}${product ? `, tags: ${product}` : ''} }\nhttp:\n  - path: [${path}]\n${extra}    matchers: [{ ${matcher} }]\n`
      const template = parseTemplate(`${id}.yaml`, source)
      if ('reason' in template) throw new Error(template.reason)
      return template
    },
  )
  return { templates }
}

async function run(
  port: number,
  checks: ReturnType<typeof plan>,
  {
    signal = AbortSignal.timeout(20_000),
    service = { port, transport: 'tcp', protocol: 'http', tls: false, banner: '', technologies: [] } as const,
    basePath = '/',
  }: { signal?: AbortSignal; service?: IdentifiedService; basePath?: string } = {},
): Promise<Observation[]> {
  const target = { address, hostname: 'lab.test', basePath, services: [service] }
  const tools = { http: client, guard, signal, profile: 'gentle', budget: { take: async () => undefined } } as const
  const observations: Observation[] = []
  for await (const observation of runChecks(target, checks, tools)) observations.push(observation)
  return observations
}

const locations = (observations: readonly Observation[]) =>
  observations.flatMap((observation) => (observation.kind === 'finding' ? [observation.location] : []))
const covered = (observations: readonly Observation[]) =>
  observations.flatMap((observation) => (observation.kind === 'coverage' ? observation.checks : []))
const base = '"{{BaseURL}}'

it('sends identical requests of several checks once', async () => {
  const port = await serve((request, response) => response.writeHead(request.url === '/x' ? 200 : 404).end('needle'))
  const observations = await run(
    port,
    plan(...Array.from({ length: 30 }, (_, at) => ({ id: `t${at}`, path: `${base}/x"` }))),
  )
  expect(requests.filter((line) => line === 'GET /x')).toHaveLength(1)
  expect(covered(observations)).toHaveLength(30)
})

it('sends paths that crash some servers last', async () => {
  let hasEnded = false
  const port = await serve((request, response) => {
    hasEnded ||= request.url === '/%c0'
    if (hasEnded) request.socket.destroy()
    else only(response, request.url === '/x')
  })
  const observations = await run(
    port,
    plan(
      { id: 'undecodable', path: `${base}/%c0"` },
      { id: 'usual', path: `${base}/x"` },
      { id: 'raw', path: `${base}/{{randstr}}"` },
    ),
  )
  expect(locations(observations)).toHaveLength(1)
  expect(requests.findIndex((line) => line.endsWith('/%c0'))).toBeGreaterThan(requests.indexOf('GET /x'))
  expect(covered(observations)).toEqual(expect.arrayContaining(['usual', 'raw']))
})

describe('applications below the root', () => {
  const folder = (at: number, ownFolder: string) =>
    ({
      port: at,
      transport: 'tcp',
      protocol: 'http',
      tls: false,
      banner: '',
      technologies: [],
      ownFolder,
    }) as const

  it('are checked too', async () => {
    const port = await serve((request, response) => only(response, request.url === '/app/x'))
    const observations = await run(port, plan({ id: 't', path: `${base}/x"` }), { service: folder(port, '/app/') })
    expect(locations(observations)).toEqual([`${port}/app/x`])
    expect(covered(observations)).toEqual(['t'])
  })

  it('do not repeat a finding of the root', async () => {
    const port = await serve((request, response) => only(response, request.url?.endsWith('/x') === true))
    const observations = await run(port, plan({ id: 't', path: `${base}/x"` }), { service: folder(port, '/app/') })
    expect(locations(observations)).toEqual([`${port}/x`])
  })

  it('get only the checks of identified products if the front page links to them', async () => {
    const port = await serve((request, response) => only(response, /^.shop.[xy]$/.test(request.url ?? '')))
    const checks = plan(
      { id: 'generic', path: `${base}/x"` },
      { id: 'specific', path: `${base}/y"`, product: 'webstore' },
    )
    const parts = { part: 'a', vendor: 'acme', product: 'webstore', version: '1.0', update: '', edition: '' } as const
    const rest = { language: '', softwareEdition: '', targetSoftware: '', targetHardware: '', other: '', text: '' }
    const { ownFolder: _, ...service } = folder(port, '/')
    const technologies = [{ name: 'Webstore', wfn: { ...parts, ...rest } }]
    const observations = await run(port, checks, { service: { ...service, technologies, linkedFolders: ['/shop/'] } })
    expect(locations(observations)).toEqual([`${port}/shop/y`])
    expect(covered(observations)).toEqual(['generic', 'specific'])
  })

  it('get the checks of topics that all applications have if the front page links to them', async () => {
    const port = await serve((request, response) => only(response, /^.shop.[xy]$/.test(request.url ?? '')))
    const checks = plan({ id: 'generic', path: `${base}/x"` }, { id: 'topic', path: `${base}/y"`, product: 'metrics' })
    const { ownFolder: _, ...service } = folder(port, '/')
    const observations = await run(port, checks, { service: { ...service, linkedFolders: ['/shop/'] } })
    expect(locations(observations)).toEqual([`${port}/shop/y`])
  })

  it('are skipped in a scan of another folder', async () => {
    const port = await serve((request, response) => only(response, request.url === '/app/x'))
    const options = { service: folder(port, '/app/'), basePath: '/shop/' }
    expect(locations(await run(port, plan({ id: 't', path: `${base}/x"` }), options))).toEqual([])
  })
})

it('distinguishes headers, body, and method, but not redirect policies', async () => {
  const port = await serve((_request, response) => response.end('none'))
  const variants = [
    '',
    '    headers: { a: b }\n',
    '    method: POST\n',
    '    method: POST\n    body: x\n',
    '    host-redirects: true\n',
  ]
  await run(port, plan(...variants.map((extra, at) => ({ id: `t${at}`, path: `${base}/x"`, extra }))))
  expect(requests.filter((line) => line.endsWith(' /x'))).toHaveLength(4)
})

it('reports request, evidence, and highlights', async () => {
  const port = await serve((request, response) => only(response, request.url === '/x?y=1', 'a needle in hay'))
  const [finding] = await run(port, plan({ id: 'CVE-2024-9999', path: `${base}/x?y=1"` }))
  expect(finding).toMatchObject({
    kind: 'finding',
    check: 'CVE-2024-9999',
    threat: 'CVE-2024-9999',
    location: `${port}/x`,
    quality: 99,
    request: expect.stringContaining('GET /x?y=1 HTTP/1.1\n'),
    evidence: expect.stringContaining('a needle in hay'),
    highlights: ['needle'],
  })
})

describe('redirects', () => {
  const hop: RequestListener = (request, response) => {
    if (request.url === '/a') response.writeHead(302, { location: '/b' }).end('first')
    else if (request.url === '/b') response.writeHead(301, { location: 'c' }).end('second')
    else if (request.url === '/c') response.end('needle')
    else if (request.url === '/away') response.writeHead(302, { location: 'http://127.42.3.9/b' }).end()
    else if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end()
    else response.writeHead(404).end()
  }

  it.each([
    ['/a', '', []],
    ['/a', '    host-redirects: true\n', ['/c']],
    ['/a', '    redirects: true\n', ['/c']],
    ['/a', '    redirects: true\n    max-redirects: 1\n', []],
    ['/away', '    redirects: true\n', []],
    ['/loop', '    redirects: true\n', []],
  ])('of %s with %j end at %j', async (path, extra, expected) => {
    const port = await serve(hop)
    const observations = await run(port, plan({ id: 't', path: `${base}${path}"`, extra }))
    expect(locations(observations)).toEqual(expected.map((at) => `${port}${at}`))
    expect(covered(observations)).toEqual(['t'])
  })

  it('are matched response by response', async () => {
    const port = await serve(hop)
    const matcher = 'type: status, status: [302]'
    expect(
      locations(await run(port, plan({ id: 't', path: `${base}/a"`, extra: '    redirects: true\n', matcher }))),
    ).toEqual([`${port}/a`])
  })
})

it('rejects a match that also occurs on a nonexistent page', async () => {
  const port = await serve((request, response) => response.writeHead(request.url === '/x' ? 200 : 404).end('needle'))
  const observations = await run(port, plan({ id: 't', path: `${base}/x"` }))
  expect(locations(observations)).toEqual([])
  expect(covered(observations)).toEqual(['t'])
})

describe('coverage', () => {
  it('is not claimed after a truncated response, even for a negative matcher', async () => {
    const port = await serve((request, response) =>
      request.url === '/x' ? request.socket.destroy() : response.end('hay'),
    )
    const absent = 'type: word, words: [needle], negative: true'
    const observations = await run(
      port,
      plan({ id: 'broken', path: `${base}/x"`, matcher: absent }, { id: 'fine', path: `${base}/y"` }),
    )
    expect(locations(observations)).toEqual([])
    expect(covered(observations)).toEqual(['fine'])
  })

  it('is not claimed by a check that stopped at its first match', async () => {
    const port = await serve((request, response) => only(response, /^\/[12]$/.test(request.url ?? '')))
    const many = `${base}/1", ${base}/2", ${base}/3", ${base}/4", ${base}/5", ${base}/6", ${base}/7", ${base}/8"`
    const observations = await run(port, plan({ id: 't', path: many, extra: '    stop-at-first-match: true\n' }))
    expect(locations(observations)).toEqual([`${port}/1`])
    expect(covered(observations)).toEqual([])
    expect(requests).not.toContain('GET /8')
  })
})

it('treats a host with fifteen serious findings as a honeypot and lowers their quality', async () => {
  const port = await serve((request, response) => only(response, /^\/t\d+$/.test(request.url ?? '')))
  const observations = await run(
    port,
    plan(...Array.from({ length: 15 }, (_, at) => ({ id: `t${at}`, path: `${base}/t${at}"`, severity: 'critical' }))),
  )
  expect(
    observations.filter((observation) => observation.kind === 'finding' && observation.quality === 30),
  ).toHaveLength(15)
  expect(observations.at(-1)).toMatchObject({ kind: 'problem', message: expect.stringContaining('honeypot') })
})

it('stops checking a host that stops responding', async () => {
  const port = await serve((request, response) =>
    request.url === '/' ? response.end('hay') : request.socket.destroy(),
  )
  const observations = await run(
    port,
    plan(...Array.from({ length: 100 }, (_, at) => ({ id: `t${at}`, path: `${base}/t${at}"` }))),
  )
  expect(requests.length).toBeLessThan(60)
  expect(observations).toContainEqual(
    expect.objectContaining({ kind: 'problem', message: expect.stringContaining('stopped responding') }),
  )
})

it('finds the same path in every scan, although a later one answers first', async () => {
  const later = Promise.withResolvers<void>()
  const port = await serve((request, response) => {
    if (request.url === '/first') void later.promise.then(() => response.end('needle'))
    else if (request.url === '/second') response.end('needle', () => later.resolve())
    else response.writeHead(404).end()
  })
  const path = `${base}/first", ${base}/second"`
  const observations = await run(port, plan({ id: 'either', path, extra: '    stop-at-first-match: true\n' }))
  expect(locations(observations)).toEqual([`${port}/first`])
})

it("yields confirmed findings before rejecting with the signal's reason", async () => {
  const stop = new AbortController()
  const port = await serve((request, response) => {
    // Responses of the front page are matched before other requests are sent.
    if (request.url === '/') response.end('needle')
    else if (request.url === '/t1') stop.abort(new Error('the user pressed stop'))
    else response.writeHead(404).end()
  })
  const signal = stop.signal
  const service = { port, transport: 'tcp', protocol: 'http', tls: false, banner: '', technologies: [] } as const
  const target = { address, hostname: 'lab.test', basePath: '/', services: [service] }
  const tools = { http: client, guard, signal, profile: 'gentle', budget: { take: async () => undefined } } as const
  const checks = plan({ id: 't0', path: `${base}/"`, severity: 'high' }, { id: 't1', path: `${base}/t1"` })
  const observations: Observation[] = []
  const finish = async () => {
    for await (const observation of runChecks(target, checks, tools)) observations.push(observation)
  }
  await expect(finish()).rejects.toThrow('the user pressed stop')
  expect(locations(observations)).toEqual([`${port}/`])
})
