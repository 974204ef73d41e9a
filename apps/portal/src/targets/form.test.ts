import type { Tag } from '@glacis/contract/tag'
import { describe, expect, it } from 'vitest'
import { changeBetween, creation, emptyDraft, fieldOf, isChanged, listText, problemsOf } from '#targets/form.ts'

const tag = (id: string): Tag => ({ id, name: id, color: 0 })
const draft = { ...emptyDraft, name: 'DMZ', address: '192.0.2.0/24', tags: [tag('a'), tag('b')] }

it.each([
  ['', '192.0.2.1', { name: 'Required' }],
  ['  ', ' ', { name: 'Required', address: 'Required' }],
  ['x'.repeat(128), '192.0.2.1', {}],
  ['x'.repeat(129), '192.0.2.1', { name: 'String must contain at most 128 character(s)' }],
])('name %j with address %j', (name, address, problems) => {
  expect(problemsOf({ ...emptyDraft, name, address })).toEqual(problems)
})

it.each([
  ['192.0.2.1 192.0.2.2', true],
  [`${Array.from({ length: 150 }, (_, number) => `10.0.${number}.1`).join(' ')} bad address`, true],
  ['shop.example,www.shop.example', true],
  ['2001:db8::1;2001:db8::2', true],
  ['192.0.2.1-192.0.2.9', false],
  ['foo bar', false],
  ['https://shop.example/a', false],
  [' shop.example ', false],
])('%j is a list: %s', (address, isOne) => {
  expect(problemsOf({ ...draft, address }).address).toBe(isOne ? listText : undefined)
})

it('creates with trimmed texts and the ids of tags', () => {
  expect(creation({ ...draft, name: ' DMZ ' })).toEqual({
    name: 'DMZ',
    address: '192.0.2.0/24',
    schedule: { period: 'PERIOD_WEEKLY' },
    tags: [{ id: 'a' }, { id: 'b' }],
  })
})

it('creates with what was set beyond that', () => {
  const hours = { start: '22:00', end: '06:00', days: [1], timeZone: 'Europe/Zurich' }
  const more = {
    hours,
    profile: 'deep' as const,
    ports: ' 80 ',
    rate: '20',
    exclusions: '192.0.2.9\n\n *:25 ',
    isPermitted: true,
  }
  expect(creation({ ...draft, ...more })).toMatchObject({
    schedule: { period: 'PERIOD_WEEKLY', allowedHours: hours },
    profile: 'deep',
    ports: '80',
    ratePerHost: 20,
    exclusions: ['192.0.2.9', '*:25'],
    isPermitted: true,
  })
})

it.each([
  [{ rate: '0' }, 'rate'],
  [{ rate: '1001' }, 'rate'],
  [{ rate: '1.5' }, 'rate'],
  [{ hours: { start: '', end: '06:00', timeZone: 'UTC' } }, 'hours'],
  [{ hours: { start: '22:00', end: '06:00', days: [], timeZone: 'UTC' } }, 'hours'],
])('%j is a problem of %s', (change, field) => {
  expect(Object.keys(problemsOf({ ...draft, ...change }))).toEqual([field])
})

describe('a change', () => {
  it('is nothing when nothing changed, whatever the order of tags', () => {
    expect(changeBetween('1', draft, { ...draft, tags: [tag('b'), tag('a')] })).toBeUndefined()
  })
  it('names only what changed but always carries the tags', () => {
    expect(changeBetween('1', draft, { ...draft, period: 'PERIOD_DAILY' })).toEqual({
      id: '1',
      schedule: { period: 'PERIOD_DAILY' },
      tags: [{ id: 'a' }, { id: 'b' }],
      updateMask: { paths: ['schedule.period'] },
    })
  })
  it('names tags when they changed', () => {
    expect(changeBetween('1', draft, { ...draft, tags: [] })?.updateMask.paths).toEqual(['tags'])
  })
  it.each([
    [{ hours: { start: '22:00', end: '06:00', timeZone: 'UTC' } }, 'schedule.allowedHours'],
    [{ profile: 'deep' }, 'profile'],
    [{ ports: '80' }, 'ports'],
    [{ rate: '5' }, 'ratePerHost'],
    [{ exclusions: '192.0.2.9' }, 'exclusions'],
    [{ agentId: 'x' }, 'agent'],
  ] as const)('of %j is %s alone, and back again too', (part, path) => {
    const changed = { ...draft, ...part }
    expect(changeBetween('1', draft, changed)?.updateMask.paths).toEqual([path])
    expect(changeBetween('1', changed, draft)?.updateMask.paths).toEqual([path])
  })
  it('takes the hours and the rate away', () => {
    const before = { ...draft, hours: { start: '22:00', end: '06:00', timeZone: 'UTC' }, rate: '5' }
    expect(changeBetween('1', before, draft)).toMatchObject({
      schedule: { period: 'PERIOD_WEEKLY' },
      ratePerHost: null,
    })
  })
  it('is lost on closing when there is one', () => {
    expect(isChanged(emptyDraft, emptyDraft)).toBe(false)
    expect(isChanged(emptyDraft, { ...emptyDraft, address: '1' })).toBe(true)
  })
})

it.each([
  ['schedule.period', 'period'],
  ['tags[0].id', 'tags'],
  ['address', 'address'],
  ['agent.id', 'agentId'],
  ['id', 'agentId'],
  ['schedule.allowedHours.timeZone', 'hours'],
  ['exclusions.3', 'exclusions'],
  ['ratePerHost', 'rate'],
  ['nonsense', undefined],
])('%s is the field %s', (path, field) => {
  expect(fieldOf(path)).toBe(field)
})
