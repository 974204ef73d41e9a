import { expect, it } from 'vitest'
import { evaluateOperators } from '#template/matcher.ts'
import { createPrefilter } from '#template/prefilter.ts'
import { templateOf } from '#template/testing/site.ts'

function operatorsOf(matchers: string) {
  const [block] = templateOf(
    `id: a\ninfo: { name: a }\nhttp:\n  - path: ["{{BaseURL}}/"]\n${matchers.replaceAll(/^/gm, '    ')}`,
  ).http
  if (!block) throw new Error('no block')
  return block.operators
}

const and = 'matchers-condition: and\n'
const needle = '  - { type: word, words: [needle] }\n'

it.each([
  ['a word', `matchers:\n${needle}`, 'a needle', 'hay'],
  [
    'a word of another case',
    'matchers:\n  - { type: word, words: [NeeDle], case-insensitive: true }\n',
    'a needle',
    'hay',
  ],
  ['all of several words', 'matchers:\n  - { type: word, words: [one, two], condition: and }\n', 'two one', 'one'],
  ['a word beside a status', `${and}matchers:\n  - { type: status, status: [200] }\n${needle}`, 'needle', 'hay'],
  ['a pattern with a word in it', 'matchers:\n  - { type: regex, regex: ["version ([0-9]+)"] }\n', 'version 2', 'none'],
  ['a pattern of any case', 'matchers:\n  - { type: regex, regex: ["(?i)VERSION"] }\n', 'version', 'none'],
  [
    'an expression',
    `matchers:\n  - { type: dsl, dsl: ['status_code == 200 && contains(tolower(body), "needle")'] }\n`,
    'Needle',
    'hay',
  ],
])('%s is decided by its literal', (_name, matchers, hit, miss) => {
  const prefilter = createPrefilter([operatorsOf(matchers)])
  expect([...prefilter.candidates(hit)]).toEqual([1])
  expect([...prefilter.candidates(miss)]).toEqual([0])
})

it.each([
  ['a negative word', 'matchers:\n  - { type: word, words: [needle], negative: true }\n'],
  ['a status that is enough', `matchers:\n  - { type: status, status: [200] }\n${needle}`],
  [
    'an alternative in an expression',
    `matchers:\n  - { type: dsl, dsl: ['contains(body, "needle") || status_code == 200'] }\n`,
  ],
  ['a negated expression', `matchers:\n  - { type: dsl, dsl: ['!contains(body, "needle")'] }\n`],
  ['alternatives in a pattern', 'matchers:\n  - { type: regex, regex: ["needle|hay"] }\n'],
  ['a word with a placeholder', 'matchers:\n  - { type: word, words: ["{{Hostname}}"] }\n'],
  [
    'a value for later requests',
    `${and}matchers:\n${needle}extractors:\n  - { type: regex, name: v, internal: true, regex: [hay] }\n`,
  ],
])('%s excludes nothing', (_name, matchers) => {
  const operators = operatorsOf(matchers)
  expect([...createPrefilter([operators]).candidates('hay')]).toEqual([1])
})

it('excludes only blocks that would not match', () => {
  const operators = operatorsOf(`${and}matchers:\n  - { type: status, status: [200] }\n${needle}`)
  const response = {
    defaultPart: 'body',
    get: (name: string) => (name === 'status_code' ? 200 : name === 'body' ? 'needle' : undefined),
  }
  expect(evaluateOperators(operators, response)).toHaveLength(1)
  expect([...createPrefilter([operators]).candidates('head\r\n\r\nneedle')]).toEqual([1])
})
