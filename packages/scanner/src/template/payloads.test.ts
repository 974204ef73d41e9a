import { describe, expect, it } from 'vitest'
import { countSets, payloadSets, type Payloads } from '#template/payloads.ts'
import { parseTemplate } from '#template/parse.ts'
import { serveSite, summary } from '#template/testing/site.ts'

const lists = new Map([
  ['a', ['1', '2', '3']],
  ['b', ['x', 'y']],
])
const sets = (payloads: Payloads) => [...payloadSets(payloads)].map((set) => `${set.get('a')}${set.get('b') ?? ''}`)

it.each<[Payloads, string]>([
  [{ attack: 'batteringram', lists: new Map([['a', ['1', '2']]]) }, '1 2'],
  [{ attack: 'pitchfork', lists }, '1x 2y'],
  [{ attack: 'clusterbomb', lists }, '1x 1y 2x 2y 3x 3y'],
])('%j gives %s', (payloads, expected) => {
  expect(sets(payloads).join(' ')).toBe(expected)
  expect(countSets(payloads)).toBe(expected.split(' ').length)
})

const head = 'id: list\ninfo: { name: list, severity: low'
const check = `${head} }
http:
  - raw:
      - |
        GET /{{name}}?t={{base64(name)}} HTTP/1.1
        Host: {{Hostname}}
    payloads:
      name: [alpha, beta, gamma]
    matchers:
      - { type: word, words: ["here is {{name}}"] }
`
const many = check.replace('[alpha, beta, gamma]', `[${Array.from({ length: 90 }, (_, at) => `n${at}`).join(', ')}]`)

describe('a payload list', () => {
  it('is tried value by value', async () => {
    await using site = await serveSite('127.42.3.7', (request, response) =>
      request.url === '/beta?t=YmV0YQ==' ? response.end('here is beta') : response.writeHead(404).end(),
    )
    expect(summary(await site.run(check))).toEqual({ found: ['list /beta'], covered: ['list'] })
  })

  it('ends at the first match if the template says so', async () => {
    await using site = await serveSite('127.42.3.7', (request, response) =>
      request.url?.startsWith('/beta') ? response.end('here is beta') : response.writeHead(404).end(),
    )
    await site.run(check.replace('    matchers:', '    stop-at-first-match: true\n    matchers:'))
    expect(site.asked.filter((line) => line.startsWith('GET /gamma'))).toEqual([])
  })

  it('is truncated to the limit, without coverage, except in exhaustive runs', async () => {
    await using site = await serveSite('127.42.3.7', (_request, response) => response.writeHead(404).end())
    expect(summary(await site.run(many)).covered).toEqual([])
    expect(site.asked.filter((line) => line.includes('?t=')).length).toBe(48)
    expect(summary(await site.run(many, { isExhaustive: true })).covered).toEqual(['list'])
  })

  it('SEC-C5 of credentials is only tried with permission', async () => {
    await using site = await serveSite('127.42.3.7', (_request, response) => response.writeHead(404).end())
    const guess = many.replace('severity: low', 'severity: low, tags: "acme,default-login"')
    expect(summary(await site.run(guess, { profile: 'deep' })).covered).toEqual([])
    expect(site.asked.filter((line) => line.includes('?t='))).toEqual([])
    const observations = await site.run(guess, { permissions: new Set(['logins'] as const) })
    const reason = 'only 12 logins are tried, because attempts can lock accounts'
    expect(observations).toContainEqual(expect.objectContaining({ stopped: [{ check: 'list', reason }] }))
    expect(site.asked.filter((line) => line.includes('?t='))).toHaveLength(12)
  })
})

describe('readPayloads', () => {
  const read = (path: string) => (path === 'lists/names.txt' ? ['one'] : null)
  it.each([
    ['two lists without an attack mode', '[a]\n      other: [b]', 'invalid'],
    ['a file outside the pack', '../../etc/passwd', 'payload files'],
    ['an empty list', '[]', 'payload files'],
    ['a mapping', '{ low: [a] }', 'invalid'],
  ])('%s', (_name, list, feature) => {
    expect(parseTemplate('t.yaml', check.replace('[alpha, beta, gamma]', list), read)).toMatchObject({ feature })
  })

  it('accepts a list in the pack', () => {
    const listed = parseTemplate('t.yaml', check.replace('[alpha, beta, gamma]', 'lists/names.txt'), read)
    expect(listed).toMatchObject({ http: [{ payloads: { lists: new Map([['name', ['one']]]) } }] })
  })
})
