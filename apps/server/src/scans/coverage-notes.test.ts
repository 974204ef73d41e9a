import { expect, it } from 'vitest'
import { coverageNotes } from '#scans/coverage-notes.ts'

const address = '127.62.4.1'
const skipped = (port: number, ...checks: string[]) =>
  ({ kind: 'skipped', address, port, permission: 'logins', checks }) as const

it('counts each check without permission once and says why it was not run', () => {
  expect(coverageNotes([skipped(80, 'a', 'b'), skipped(81, 'b', 'c')])).toEqual(['3 checks not run: they would log in'])
  expect(coverageNotes([skipped(80, 'b', 'a')], true)).toEqual(['2 checks not run: they would log in (a, b)'])
  expect(coverageNotes([{ ...skipped(80, 'a'), permission: 'crashes' }])).toEqual([
    '1 check not run: it might crash a service',
  ])
})

it('names withheld matches with the reason', () => {
  const doubted = { kind: 'doubted', address, check: 'a', location: '80/x', reason: 'the response repeats the request' }
  expect(coverageNotes([{ ...doubted, kind: 'doubted' }])).toEqual([
    '127.62.4.1: match of a at 80/x withheld: the response repeats the request',
  ])
  const many = Array.from({ length: 23 }, () => ({ ...doubted, kind: 'doubted' }) as const)
  expect(coverageNotes(many).at(-1)).toBe('3 more matches withheld')
  expect(coverageNotes(many.slice(0, 21)).at(-1)).toBe('1 more match withheld')
})
