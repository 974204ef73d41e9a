import { Traits } from '@glacis/contract/identity'
import { expect, it } from 'vitest'
import { isEmail, parseTraits } from '#schema.ts'

const whole = { email: 'a@b.ch', name: { first: 'A', last: 'B' } }

it.each([
  'a@b.ch',
  'a@b',
  'oddd@local',
  'a@localhost',
  'first.last+tag@sub.example.test',
  "o'neil@example.test",
  'ü@bücher.example',
  'ä@ö.de',
  'Jörg@exämple.de',
  'Jo\u0308rg@exa\u0308mple.de',
  '用户@例子.广告',
  'root@127.0.0.1',
  `${'a'.repeat(64)}@b.test`,
  ' a@b.ch ',
])('accepts the address %s, as does the contract', (email) => {
  expect(isEmail(email)).toBe(true)
  const reading = parseTraits({ ...whole, email })
  expect(reading).toEqual({ kind: 'valid', traits: { ...whole, email: email.trim() } })
  expect(Traits.safeParse('traits' in reading && reading.traits).success).toBe(true)
})

it.each([
  '',
  'a',
  'a@',
  '@b',
  'a@b@c',
  'a b@c.test',
  'a@-b.test',
  'a@b..test',
  'a@b.test\r\nBcc: x',
  'a@b.test,c@d.test',
  '<a@b.test>',
  `${'a'.repeat(65)}@b.test`,
  `a@${'b'.repeat(253)}`,
  '\ud800@b.test',
  'a\u200b@b.test',
  'a\0@b.test',
])('rejects the address %j, as does the contract', (email) => {
  expect(isEmail(email)).toBe(false)
  expect(parseTraits({ ...whole, email }).kind).toBe('invalid')
  expect(Traits.safeParse({ ...whole, email }).success).toBe(false)
})

it.each([
  [{ ...whole, role: 'admin' }, 'traits', 4000001],
  [{ ...whole, name: { ...whole.name, middle: 'C' } }, 'traits.name', 4000001],
  [{ ...whole, email: 7 }, 'traits.email', 4000026],
  [{ ...whole, email: 'nobody' }, 'traits.email', 4000040],
  [{ ...whole, name: { first: '', last: 'B' } }, 'traits.name.first', 4000003],
  [{ ...whole, name: { first: '   ', last: 'B' } }, 'traits.name.first', 4000002],
  [{ ...whole, name: { first: 'A', last: '\u00a0\u200b\u3164' } }, 'traits.name.last', 4000002],
  [{ ...whole, email: '  ' }, 'traits.email', 4000002],
  [{ ...whole, name: { first: 'x'.repeat(129), last: 'B' } }, 'traits.name.first', 4000017],
  [{ ...whole, name: 'A B' }, 'traits.name.last', 4000002],
  ['traits', 'traits.email', 4000002],
])('rejects %j', (value, field, id) => {
  const reading = parseTraits(value)
  const messages = reading.kind === 'invalid' ? reading.messages : []
  expect(messages).toContainEqual(expect.objectContaining({ field, message: expect.objectContaining({ id }) }))
})

it('accepts valid traits', () => {
  expect(parseTraits(whole)).toEqual({ kind: 'valid', traits: whole })
})
