import { describe, expect, it } from 'vitest'
import type { DslValue } from '#template/dsl-value.ts'
import { evaluateOperators } from '#template/matcher.ts'
import { readOperators } from '#template/parse-operators.ts'

const values = new Map<string, DslValue>([
  ['body', 'Alpha Beta\u0000\u00ff version 1.2'],
  ['header', 'Server: nginx\r\nContent-Type: text/html\r\n'],
  ['content_type', 'text/html'],
  ['status_code', 200],
  ['json', '{"a":{"b":[{"c":1},{"c":2}]}}'],
  ['server', 'nginx'],
  ['duration', 7],
])
const response = { defaultPart: 'body', get: (name: string) => values.get(name) }

function matches(block: object) {
  return evaluateOperators(readOperators({ value: block, path: [], isValidated: false }), response)
}
const hits = (matcher: object) => matches({ matchers: [matcher] }).length > 0

describe('a single matcher', () => {
  it.each<[object, boolean]>([
    [{ type: 'word', words: ['Alpha'] }, true],
    [{ type: 'word', words: ['alpha'] }, false],
    [{ type: 'word', words: ['ALPHA'], 'case-insensitive': true }, true],
    [{ type: 'word', words: ['Alpha', 'none'] }, true],
    [{ type: 'word', words: ['Alpha', 'none'], condition: 'and' }, false],
    [{ type: 'word', words: ['none'], negative: true }, true],
    [{ type: 'word', words: ['Alpha'], negative: true }, false],
    [{ type: 'word', part: 'header', words: ['nginx'] }, true],
    [{ type: 'word', part: 'nosuch', words: ['x'] }, false],
    [{ type: 'word', part: 'nosuch', words: ['x'], negative: true }, false],
    [{ type: 'word', words: ['{{server}}'], part: 'header' }, true],
    [{ type: 'word', words: ['{{nosuch}}'], part: 'header' }, false],
    [{ type: 'status', status: [200, 204] }, true],
    [{ type: 'status', status: [404], negative: true }, true],
    [{ type: 'size', size: [5], part: 'server' }, true],
    [{ type: 'regex', regex: ['version \\d'] }, true],
    [{ type: 'regex', regex: ['^version'] }, false],
    [{ type: 'binary', binary: ['00c3'] }, false],
    [{ type: 'binary', binary: ['00ff'] }, true],
    [{ type: 'dsl', dsl: ['status_code == 200', 'contains(body, "none")'], condition: 'and' }, false],
    [{ type: 'dsl', dsl: ['status_code == 200', 'contains(body, "none")'] }, true],
  ])('%j: %s', (matcher, expected) => {
    expect(hits(matcher)).toBe(expected)
  })
})

describe('multiple matchers', () => {
  const word = (name: string, text: string) => ({ type: 'word', name, words: [text] })

  it('returns one match per named matcher under "or"', () => {
    const names = matches({ matchers: [word('a', 'Alpha'), word('n', 'none'), word('b', 'Beta')] }).map(
      ({ name }) => name,
    )
    expect(names).toEqual(['a', 'b'])
  })

  it.each([
    ['and', 'Alpha', true],
    ['or', 'Alpha', false],
    ['or', 'none', true],
  ])('under %s, with %s and a delay, isTimed is %s', (condition, text, expected) => {
    const matchers = [word('', text), { type: 'dsl', dsl: ['duration >= 6'] }]
    expect(matches({ 'matchers-condition': condition, matchers }).map(({ isTimed }) => isTimed)).toEqual([expected])
  })

  it('returns one unnamed match under "and"', () => {
    const found = matches({ 'matchers-condition': 'and', matchers: [word('a', 'Alpha'), word('b', 'Beta')] })
    expect(found).toMatchObject([{ name: '', spans: ['Alpha', 'Beta'] }])
  })

  it('does not match under "and" when one fails', () => {
    expect(matches({ 'matchers-condition': 'and', matchers: [word('', 'Alpha'), word('', 'none')] })).toEqual([])
  })

  it('distinguishes proof from a status or absence', () => {
    const proof = (matcher: object) => matches({ matchers: [matcher] })[0]?.isProof
    expect(proof({ type: 'word', words: ['Alpha'] })).toBe(true)
    expect(proof({ type: 'dsl', dsl: ['status_code == 200'] })).toBe(false)
    expect(proof({ type: 'status', status: [200] })).toBe(false)
    expect(proof({ type: 'word', words: ['none'], negative: true })).toBe(false)
  })
})

describe('evidence', () => {
  const isPage = { type: 'dsl', dsl: ['contains(content_type, "text/html")'] }
  const both = (...matchers: object[]) => matches({ 'matchers-condition': 'and', matchers })[0]?.spans

  it.each<[string, object[], string[]]>([
    ['a header is missing', [isPage, { type: 'dsl', dsl: ['!regex("(?i)x-frame-options:", header)'] }], []],
    [
      'one expression checks for presence and absence',
      [{ type: 'dsl', dsl: ['contains(header, "text/html") && !contains(body, "x")'] }],
      [],
    ],
    ['a word is missing', [{ type: 'word', part: 'header', words: ['text/html'] }, gone('none')], []],
    ['a word is missing beside another', [{ type: 'word', words: ['Alpha'] }, gone('none')], ['Alpha']],
    ['nothing is missing', [isPage], ['text/html']],
  ])('shows %s', (_, matchers, spans) => {
    expect(both(...matchers)).toEqual(spans)
  })

  it.each<[string, string[]]>([
    ['contains(body, "Alpha") || !contains(body, "Beta")', ['Alpha']],
    ['contains(body, "Alpha") && !(contains(body, "none") && contains(body, "Beta"))', ['Alpha']],
    ['contains(body, "Alpha") && body != "Beta"', ['Alpha']],
    ['!!contains(body, "Alpha") && !(!contains(body, "Beta"))', ['Alpha', 'Beta']],
  ])('%s: %j', (source, spans) => {
    expect(both({ type: 'dsl', dsl: [source] })).toEqual(spans)
  })
})

function gone(word: string) {
  return { type: 'word', words: [word], negative: true }
}

describe('extractors', () => {
  it.each<[object, string[]]>([
    [{ type: 'regex', regex: ['version ([\\d.]+)'], group: 1 }, ['1.2']],
    [{ type: 'regex', regex: ['none'] }, []],
    [{ type: 'kval', kval: ['Server', 'nosuch'] }, ['nginx']],
    [{ type: 'json', part: 'json', json: ['.a.b[].c'] }, ['1', '2']],
    [{ type: 'json', part: 'json', json: ['.a.b[1].c'] }, ['2']],
    [{ type: 'dsl', dsl: ['to_upper(server)'] }, ['NGINX']],
  ])('%j extracts %j', (extractor, expected) => {
    expect(matches({ extractors: [extractor] }).flatMap(({ extracted }) => extracted)).toEqual(expected)
  })
})
