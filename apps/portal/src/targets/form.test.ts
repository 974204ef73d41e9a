import type { Tag } from '@glacis/contract/target'
import { describe, expect, it } from 'vitest'
import { changeBetween, creation, emptyDraft, fieldOf, isChanged, problemsOf } from '#targets/form.ts'

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

it('creates with trimmed texts and the ids of tags', () => {
  expect(creation({ ...draft, name: ' DMZ ' })).toEqual({
    name: 'DMZ',
    address: '192.0.2.0/24',
    schedule: { period: 'PERIOD_WEEKLY' },
    tags: [{ id: 'a' }, { id: 'b' }],
  })
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
  it('is lost on closing when there is one', () => {
    expect(isChanged(emptyDraft, emptyDraft)).toBe(false)
    expect(isChanged(emptyDraft, { ...emptyDraft, address: '1' })).toBe(true)
  })
})

it.each([
  ['schedule.period', 'period'],
  ['tags[0].id', 'tags'],
  ['address', 'address'],
  ['agent.id', undefined],
])('%s is the field %s', (path, field) => {
  expect(fieldOf(path)).toBe(field)
})
