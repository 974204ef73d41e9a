import { expect, it } from 'vitest'
import { mentionedIds, mentionQuery, mentionToken, splitMentions } from '#issues/mentions.ts'

const max = { id: 'm1', name: 'Max', email: 'max@example.ch' }
const keller = { id: 'm2', name: 'Max Keller', email: 'max.keller@example.ch' }
const zoe = { id: 'm3', name: 'Zoë Frei', email: 'zoe@example.ch' }
const people = [max, keller, zoe]

it.each([
  ['@Max Keller, please check', ['m2']],
  ['@Max and @Zoë Frei', ['m1', 'm3']],
  ['@max keller and @Max Keller again', ['m2']],
  ['@Maxine and @Max Kellerman', ['m1']],
  ['mail max@Max', []],
  ['(@Zoë Frei)', ['m3']],
  ['@unknown', []],
  ['', []],
] as const)('%j mentions %j', (text, ids) => {
  expect(mentionedIds(text, people)).toEqual(ids)
})

it('keeps the text around mentions', () => {
  expect(splitMentions('Hi @Max!', people)).toEqual([{ text: 'Hi ' }, { text: '@Max', id: 'm1' }, { text: '!' }])
})

it('mentions people who share a name by their email address', () => {
  const other = { id: 'm4', name: 'max', email: 'other@example.ch' }
  const all = [...people, other]
  expect(mentionToken(max, all)).toBe('max@example.ch')
  expect(mentionedIds('@other@example.ch', all)).toEqual(['m4'])
  expect(mentionedIds('@Max', all)).toEqual([])
})

it.each([
  ['@', 1, ['m1', 'm2', 'm3']],
  ['Hi @ke', 6, ['m2']],
  ['Hi @max k', 9, ['m2']],
  ['Hi @zoe@', 8, undefined],
  ['a@max', 5, undefined],
  ['@Max Keller ', 12, undefined],
  ['@x', 2, undefined],
  ['no mention', 10, undefined],
] as const)('%j at %i offers %j', (text, cursor, ids) => {
  expect(mentionQuery(text, cursor, people)?.options.map(({ id }) => id)).toEqual(ids)
})
