import type { Tag } from '@glacis/contract/tag'
import { describe, expect, it } from 'vitest'
import {
  toUpdateBody,
  toCreateBody,
  emptyDraft,
  fieldForPath,
  isChanged,
  listError,
  splitPort,
  validate,
} from '#targets/form.ts'

const tag = (id: string): Tag => ({ id, name: id, color: 0 })
const draft = { ...emptyDraft, name: 'DMZ', address: '192.0.2.0/24', tags: [tag('a'), tag('b')] }

it.each([
  ['', '192.0.2.1', { name: 'Required' }],
  ['  ', ' ', { name: 'Required', address: 'Required' }],
  ['x'.repeat(128), '192.0.2.1', {}],
  ['x'.repeat(129), '192.0.2.1', { name: 'String must contain at most 128 character(s)' }],
])('validates name %j with address %j', (name, address, problems) => {
  expect(validate({ ...emptyDraft, name, address })).toEqual(problems)
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
])('treats %j as a list: %s', (address, expected) => {
  expect(validate({ ...draft, address }).address).toBe(expected ? listError : undefined)
})

it('trims text and sends tag IDs when creating a target', () => {
  expect(toCreateBody({ ...draft, name: ' DMZ ' })).toEqual({
    name: 'DMZ',
    address: '192.0.2.0/24',
    schedule: { period: 'PERIOD_WEEKLY' },
    tags: [{ id: 'a' }, { id: 'b' }],
  })
})

it.each([
  ['127.0.0.1:34810', { host: '127.0.0.1', port: '34810' }],
  [' shop.example:443 ', { host: 'shop.example', port: '443' }],
  ['[2001:db8::1]:8443', { host: '[2001:db8::1]', port: '8443' }],
  ['2001:db8::1', undefined],
  ['shop.example', undefined],
  ['shop.example:0', undefined],
  ['shop.example:65536', undefined],
  ['http://shop.example:80', undefined],
])('splits %j into %j', (address, parts) => {
  expect(splitPort(address)).toEqual(parts)
})

it('limits scans to the port of the address', () => {
  expect(toCreateBody({ ...draft, address: '127.0.0.1:34810', ports: '22' })).toMatchObject({
    address: '127.0.0.1',
    ports: '34810',
  })
})

it('sends the owner, and null to remove it', () => {
  expect(toCreateBody({ ...draft, ownerId: 'nora' })).toMatchObject({ owner: { id: 'nora' } })
  expect(toUpdateBody('t', { ...draft, ownerId: 'nora' }, draft)).toMatchObject({
    owner: null,
    updateMask: { paths: ['owner'] },
  })
  expect(fieldForPath('owner.id')).toBe('ownerId')
})

it('includes optional settings when creating a target', () => {
  const hours = { start: '22:00', end: '06:00', days: [1], timeZone: 'Europe/Zurich' }
  const more = {
    hours,
    profile: 'deep' as const,
    permissions: ['logins'] as const,
    ports: ' 80 ',
    rate: '20',
    exclusions: '192.0.2.9\n\n *:25 ',
    isPermitted: true,
  }
  expect(toCreateBody({ ...draft, ...more })).toMatchObject({
    schedule: { period: 'PERIOD_WEEKLY', allowedHours: hours },
    profile: 'deep',
    permissions: ['logins'],
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
])('reports %j as an error of %s', (change, field) => {
  expect(Object.keys(validate({ ...draft, ...change }))).toEqual([field])
})

describe('toUpdateBody', () => {
  it('is undefined if only the order of tags differs', () => {
    expect(toUpdateBody('1', draft, { ...draft, tags: [tag('b'), tag('a')] })).toBeUndefined()
  })
  it('lists only changed paths but always sends the tags', () => {
    expect(toUpdateBody('1', draft, { ...draft, period: 'PERIOD_DAILY' })).toEqual({
      id: '1',
      schedule: { period: 'PERIOD_DAILY' },
      tags: [{ id: 'a' }, { id: 'b' }],
      updateMask: { paths: ['schedule.period'] },
    })
  })
  it('lists tags if they changed', () => {
    expect(toUpdateBody('1', draft, { ...draft, tags: [] })?.updateMask.paths).toEqual(['tags'])
  })
  it.each([
    [{ hours: { start: '22:00', end: '06:00', timeZone: 'UTC' } }, 'schedule.allowedHours'],
    [{ profile: 'deep' }, 'profile'],
    [{ permissions: ['writes'] }, 'permissions'],
    [{ ports: '80' }, 'ports'],
    [{ rate: '5' }, 'ratePerHost'],
    [{ exclusions: '192.0.2.9' }, 'exclusions'],
    [{ agentId: 'x' }, 'agent'],
  ] as const)('lists only the path of %j (%s), in both directions', (part, path) => {
    const changed = { ...draft, ...part }
    expect(toUpdateBody('1', draft, changed)?.updateMask.paths).toEqual([path])
    expect(toUpdateBody('1', changed, draft)?.updateMask.paths).toEqual([path])
  })
  it('removes the hours and the rate', () => {
    const before = { ...draft, hours: { start: '22:00', end: '06:00', timeZone: 'UTC' }, rate: '5' }
    expect(toUpdateBody('1', before, draft)).toMatchObject({
      schedule: { period: 'PERIOD_WEEKLY' },
      ratePerHost: null,
    })
  })
  it('is reported by isChanged', () => {
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
])('maps the path %s to the field %s', (path, field) => {
  expect(fieldForPath(path)).toBe(field)
})
