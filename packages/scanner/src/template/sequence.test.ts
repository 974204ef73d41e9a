import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { serveSite, summary } from '#template/testing/site.ts'

const address = '127.42.3.6'
const head = 'id: seq\ninfo: { name: seq, severity: low }\n'

const session = `${head}http:
  - raw:
      - |
        GET /login HTTP/1.1
        Host: {{Hostname}}
      - |
        POST /login HTTP/1.1
        Host: {{Hostname}}
        Content-Type: application/x-www-form-urlencoded

        name=guest
      - |
        GET /inside HTTP/1.1
        Host: {{Hostname}}
    matchers:
      - type: dsl
        dsl:
          - status_code_1 == 200 && status_code_2 == 302 && contains(body_3, "treasure")
`

it('keeps cookies and refers to earlier responses by number', async () => {
  await using site = await serveSite(address, (request, response) => {
    const has = (cookie: string) => request.headers.cookie?.includes(cookie) ?? false
    if (request.url === '/login' && request.method === 'GET') response.setHeader('set-cookie', 'step=1').end('form')
    else if (request.url === '/login' && has('step=1')) response.writeHead(302, { 'set-cookie': 'in=1' }).end()
    else if (request.url === '/inside' && has('in=1')) response.end('treasure')
    else response.writeHead(404).end()
  })
  expect(summary(await site.run(session))).toEqual({ found: ['seq /inside'], covered: ['seq'] })
  expect(site.asked).toContain('POST /login name=guest')
})

it('sends no cookies if the block disables them', async () => {
  await using site = await serveSite(address, (request, response) => {
    if (request.url === '/login' && request.method === 'GET') response.setHeader('set-cookie', 'step=1').end('form')
    else if (request.headers.cookie) response.end('treasure')
    else response.writeHead(404).end()
  })
  const observations = await site.run(session.replace('    matchers:', '    disable-cookie: true\n    matchers:'))
  expect(summary(observations)).toEqual({ found: [], covered: ['seq'] })
})

it('rejects a sequence that any page would satisfy', async () => {
  await using site = await serveSite(address, (_request, response) => response.end('the same treasure for all'))
  const same = session.replace('status_code_2 == 302', 'status_code_2 == 200')
  expect(summary(await site.run(same))).toEqual({ found: [], covered: ['seq'] })
})

it('rejects a match on an echoed request', async () => {
  await using site = await serveSite(address, (request, response) => response.end(`${request.url} ${request.text}`))
  const echo = session.replace('status_code_2 == 302 && contains(body_3, "treasure")', 'contains(body_2, "name=guest")')
  expect(summary(await site.run(echo))).toEqual({ found: [], covered: ['seq'] })
})

it('is neither covered nor matched by absence after a truncated response', async () => {
  await using site = await serveSite(address, (request, response) =>
    request.url === '/inside' ? request.socket.destroy() : response.writeHead(404).end('hay'),
  )
  const absent = session.replace(/status_code_1[^\n]*/, 'status_code_1 == 404 && !contains(body_2, "x")')
  expect(summary(await site.run(absent))).toEqual({ found: [], covered: [] })
})

it('runs unnumbered matchers on every response', async () => {
  await using site = await serveSite(address, (request, response) =>
    request.url === '/inside' || request.method === 'POST' ? response.end('needle') : response.writeHead(404).end(),
  )
  const every = session.replace(/- type: dsl[^]*/, '- { type: word, words: [needle] }\n')
  expect(summary(await site.run(every)).found).toEqual(['seq /login', 'seq /inside'])
  const first = every.replace('    matchers:', '    stop-at-first-match: true\n    matchers:')
  expect(summary(await site.run(first))).toEqual({ found: ['seq /login'], covered: [] })
})

it('sends identical first requests of several sequences once', async () => {
  await using site = await serveSite(address, (request, response) => response.writeHead(404).end(request.url))
  const sources = Array.from({ length: 20 }, (_, at) => session.replace('id: seq', `id: seq${at}`))
  expect(summary(await site.run(sources)).covered).toHaveLength(20)
  expect(site.asked.filter((line) => line === 'GET /login')).toHaveLength(1)
  expect(site.asked.filter((line) => line === 'GET /inside')).toHaveLength(20)
})

it('counts a shared failure once', async () => {
  await using site = await serveSite(address, (request, response) =>
    request.url === '/login' ? request.socket.destroy() : response.writeHead(404).end(),
  )
  const broken = Array.from({ length: 20 }, (_, at) => session.replace('id: seq', `id: seq${at}`))
  const sound = session.replaceAll('/login', '/sound').replace('id: seq', 'id: sound')
  expect(summary(await site.run([...broken, sound])).covered).toEqual(['sound'])
})

it('stops checking a host that stops responding', async () => {
  await using site = await serveSite(address, (request, response) =>
    /^\/g[\da-f]{14}/.test(request.url ?? '') ? response.writeHead(404).end() : request.socket.destroy(),
  )
  const sources = Array.from({ length: 60 }, (_, at) =>
    session.replaceAll('/login', `/l${at}`).replace('seq', `seq${at}`),
  )
  const observations = await site.run(sources)
  expect(site.asked.length).toBeLessThan(50)
  expect(summary(observations)).toEqual({ found: [], covered: [] })
  expect(observations).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('stopped responding') }),
  )
})

const tokens = `${head}variables:
  name: "{{to_lower(rand_text_alpha(12))}}"
  proof: "{{md5(name)}}"
http:
  - raw:
      - |
        GET /form HTTP/1.1
        Host: {{Hostname}}
      - |
        POST /echo HTTP/1.1
        Host: {{Hostname}}

        token={{token}}&name={{name}}
    extractors:
      - { type: regex, name: token, internal: true, group: 1, regex: ['token="([a-z]+)"'] }
    matchers:
      - type: word
        words: ["{{proof}}"]
`

describe('values', () => {
  it('are generated once, extracted, and used in later requests', async () => {
    await using site = await serveSite(address, (request, response) => {
      const name = /^token=secret&name=([a-z]{12})$/.exec(request.text)?.[1]
      if (request.url === '/form') response.end('<input token="secret">')
      else if (name) response.end(createHash('md5').update(name).digest('hex'))
      else response.writeHead(404).end()
    })
    const observations = await site.run(tokens)
    expect(summary(observations)).toEqual({ found: ['seq /echo'], covered: ['seq'] })
    expect(observations[0]).toMatchObject({ highlights: [expect.stringMatching(/^[\da-f]{32}$/)] })
  })

  it('that are missing end the check, which is then completed', async () => {
    await using site = await serveSite(address, (request, response) => response.writeHead(404).end('no form here'))
    expect(summary(await site.run(tokens))).toEqual({ found: [], covered: ['seq'] })
    expect(site.asked.filter((line) => line.startsWith('POST'))).toEqual([])
  })

  it('of extractors are available to matchers of the same response', async () => {
    await using site = await serveSite(address, (request, response) =>
      request.url === '/version' ? response.end('version: 1.2.3') : response.writeHead(404).end(),
    )
    const versioned = `${head}http:
  - path: ["{{BaseURL}}/version"]
    extractors:
      - { type: regex, name: version, internal: true, group: 1, regex: ['version: ([\\d.]+)'] }
    matchers:
      - { type: dsl, dsl: ["compare_versions(version, '< 1.3')"] }
`
    expect(summary(await site.run(versioned))).toEqual({ found: ['seq /version'], covered: ['seq'] })
    expect(summary(await site.run(versioned.replace('< 1.3', '> 1.3'))).found).toEqual([])
  })
})

it('verifies content separately from a time-based matcher', async () => {
  await using site = await serveSite(address, (request, response) =>
    request.url === '/key?a=1' ? response.end('API_KEY') : response.writeHead(404).end(),
  )
  const either = `${head}http:
  - raw:
      - |
        GET /key?a=1 HTTP/1.1
        Host: {{Hostname}}
      - |
        GET /key?a=sleep(6) HTTP/1.1
        Host: {{Hostname}}
    matchers:
      - { type: dsl, dsl: ['contains(body_1, "API_KEY")'] }
      - { type: dsl, dsl: ['duration_2 >= 6 && status_code_2 == 404'] }
`
  expect(summary(await site.run(either)).found).toContain('seq /key')
  expect(summary(await site.run(either.replace('"API_KEY"', '"nothing"'))).found).toEqual([])
})

it('needs an operator-supplied value for a variable set to itself', async () => {
  await using site = await serveSite(address, (request, response) =>
    request.text === 'email=a@lab.test' ? response.end('needle') : response.writeHead(404).end(),
  )
  const open = `${head}variables:
  email: "{{email}}"
http:
  - raw:
      - |
        POST /reset HTTP/1.1
        Host: {{Hostname}}

        email={{email}}
    matchers:
      - { type: word, words: [needle] }
`
  expect(summary(await site.run(open))).toEqual({ found: [], covered: [] })
  const suppliedValues = new Map([['email', 'a@lab.test']])
  expect(summary(await site.run(open, { suppliedValues })).found).toEqual(['seq /reset'])
})

const flow = `${head}flow: http(1) && http(2)
http:
  - path: ["{{BaseURL}}"]
    matchers:
      - { type: word, words: [Acme], internal: true }
  - path: ["{{BaseURL}}/a", "{{BaseURL}}/b"]
    matchers:
      - { type: word, words: [needle] }
`

describe('a flow', () => {
  it('continues when its first block matches, and does not report internal matches', async () => {
    await using site = await serveSite(address, (request, response) => {
      if (request.url === '/') response.end('Welcome to Acme')
      else if (request.url === '/b') response.end('needle')
      else response.writeHead(404).end()
    })
    expect(summary(await site.run(flow))).toEqual({ found: ['seq /b'], covered: ['seq'] })
  })

  it('stops, with coverage, when its first block does not match', async () => {
    await using site = await serveSite(address, (request, response) =>
      request.url === '/' ? response.end('Welcome') : response.writeHead(404).end('needle'),
    )
    expect(summary(await site.run(flow))).toEqual({ found: [], covered: ['seq'] })
    expect(site.asked).not.toContain('GET /a')
  })

  it('continues after a block that stops at its first match', async () => {
    await using site = await serveSite(address, (request, response) => {
      if (request.url === '/one' || request.url === '/two') response.end('Welcome to Acme')
      else if (request.url === '/b') response.end('needle')
      else response.writeHead(404).end()
    })
    const gated = flow.replace(
      '["{{BaseURL}}"]',
      '["{{BaseURL}}/one", "{{BaseURL}}/two"]\n    stop-at-first-match: true',
    )
    expect(summary(await site.run(gated))).toEqual({ found: ['seq /b'], covered: ['seq'] })
    expect(site.asked).not.toContain('GET /two')
    const exported = gated.replace(', internal: true', '')
    expect(summary(await site.run(exported))).toEqual({ found: ['seq /one', 'seq /b'], covered: [] })
  })

  it("accepts later matches after a match in the product's folder", async () => {
    await using site = await serveSite(address, (request, response) => {
      if (request.url === '/wp-content/plugins/acme/readme.txt') response.end('Acme')
      else if (request.url === '/?page=1') response.end('needle')
      else response.writeHead(404).end()
    })
    const paths = ['["{{BaseURL}}/a", "{{BaseURL}}/b"]', '["{{BaseURL}}/?page=1"]'] as const
    const plugin = flow.replace(...paths).replace('severity: low', 'severity: low, tags: wordpress')
    const requesting = plugin.replace('["{{BaseURL}}"]', '["{{BaseURL}}/wp-content/plugins/acme/readme.txt"]')
    expect(summary(await site.run(requesting)).found).toEqual(['seq /'])
    expect(summary(await site.run(plugin.replace('Acme', 'needle').replace('"]', '/?page=1"]'))).found).toEqual([])
  })

  it('is inconclusive after a truncated response', async () => {
    await using site = await serveSite(address, (request, response) => {
      if (request.url === '/') request.socket.destroy()
      else response.writeHead(404).end('needle')
    })
    const negated = flow.replace('http(1) && http(2)', '"!http(1) && http(2)"')
    expect(summary(await site.run([flow, negated.replace('id: seq', 'id: not')]))).toEqual({ found: [], covered: [] })
  })
})
