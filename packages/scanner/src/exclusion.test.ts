import { describe, expect, it } from 'vitest'
import { denyEntries, type Exclusion, isExcluded, parseExclusion } from '#exclusion.ts'
import { createGuard } from '#guard.ts'

function read(...texts: string[]): Exclusion[] {
  return texts.map((text) => {
    const exclusion = parseExclusion(text)
    if ('problem' in exclusion) throw new Error(exclusion.problem)
    return exclusion
  })
}

it.each([
  ['10.0.0.7', '10.0.0.7'],
  [' 10.0.0.0/8 ', '10.0.0.0/8'],
  ['10.0.0.9/24', '10.0.0.0/24'],
  ['10.0.0.3-10.0.0.9', '10.0.0.3-10.0.0.9'],
  ['10.0.0.3-9', '10.0.0.3-10.0.0.9'],
  ['10.0.0.7:22', '10.0.0.7:22'],
  ['[FD00::0:1]:443', '[fd00::1]:443'],
  ['fd00::1', 'fd00::1'],
  ['*:22', '*:22'],
])('parses %j as %s', (text, spelled) => {
  expect(parseExclusion(text)).toMatchObject({ text: spelled })
})

it.each([
  '',
  'example.ch',
  'https://example.ch',
  '10.0.0.7:0',
  '*:70000',
  'example.ch:22',
  '10.0.0.9-1',
  '10.0.0',
  '*',
])('rejects %j', (text) => {
  expect(parseExclusion(text)).toHaveProperty('problem')
})

it.each([
  ['10.0.0.5', true],
  ['10.0.0.2', false],
  ['10.0.0.10', false],
  ['192.0.2.130', true],
  ['192.0.2.127', false],
  // Only one of its ports is excluded.
  ['10.0.0.20', false],
  ['fd00::1', false],
])('%s is excluded as a whole: %s', (address, verdict) => {
  expect(isExcluded(address, read('10.0.0.3-10.0.0.9', '192.0.2.128/25', '10.0.0.20:22', '*:80'))).toBe(verdict)
})

describe('denyEntries', () => {
  it('splits a range into the smallest set of networks', () => {
    expect(denyEntries(read('10.0.0.3-10.0.0.9'), [])).toEqual(['10.0.0.3/32', '10.0.0.4/30', '10.0.0.8/31'])
    expect(denyEntries(read('0.0.0.0/0'), [])).toEqual(['0.0.0.0/0'])
  })

  it('SEC-C3 makes a guard reject exactly the excluded endpoints', () => {
    const addresses = ['10.0.0.1', '10.0.0.5', '10.0.0.20']
    const deny = denyEntries(read('10.0.0.3-10.0.0.9', '10.0.0.20:22', '*:25'), addresses)
    const guard = createGuard({ allow: addresses, deny })
    const isDenied = (address: string, port: number) => guard.denialReason(address, port) !== null
    expect([isDenied('10.0.0.5', 80), isDenied('10.0.0.20', 22), isDenied('10.0.0.1', 25)]).toEqual([true, true, true])
    expect([isDenied('10.0.0.1', 80), isDenied('10.0.0.20', 23), isDenied('10.0.0.1', 22)]).toEqual([
      false,
      false,
      false,
    ])
  })
})
