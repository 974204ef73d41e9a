import { Traits } from '@glacis/contract/identity'
import { expect, it } from 'vitest'
import { isEmail, parseTraits } from '#schema.ts'

const validTraits = { email: 'a@b.ch', name: { first: 'A', last: 'B' } }

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
  const parsed = parseTraits({ ...validTraits, email })
  expect(parsed).toEqual({ kind: 'valid', traits: { ...validTraits, email: email.trim() } })
  expect(Traits.safeParse('traits' in parsed && parsed.traits).success).toBe(true)
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
  expect(parseTraits({ ...validTraits, email }).kind).toBe('invalid')
  expect(Traits.safeParse({ ...validTraits, email }).success).toBe(false)
})

it.each([
  [{ ...validTraits, role: 'admin' }, 'traits', 4000001],
  [{ ...validTraits, name: { ...validTraits.name, middle: 'C' } }, 'traits.name', 4000001],
  [{ ...validTraits, email: 7 }, 'traits.email', 4000026],
  [{ ...validTraits, email: 'nobody' }, 'traits.email', 4000040],
  [{ ...validTraits, name: { first: '', last: 'B' } }, 'traits.name.first', 4000003],
  [{ ...validTraits, name: { first: '   ', last: 'B' } }, 'traits.name.first', 4000002],
  [{ ...validTraits, name: { first: 'A', last: '\u00a0\u200b\u3164' } }, 'traits.name.last', 4000002],
  [{ ...validTraits, email: '  ' }, 'traits.email', 4000002],
  [{ ...validTraits, name: { first: 'x'.repeat(129), last: 'B' } }, 'traits.name.first', 4000017],
  [{ ...validTraits, name: 'A B' }, 'traits.name.last', 4000002],
  ['traits', 'traits.email', 4000002],
])('rejects %j', (value, field, id) => {
  const parsed = parseTraits(value)
  const messages = parsed.kind === 'invalid' ? parsed.messages : []
  expect(messages).toContainEqual(expect.objectContaining({ field, message: expect.objectContaining({ id }) }))
})

it('accepts valid traits', () => {
  expect(parseTraits(validTraits)).toEqual({ kind: 'valid', traits: validTraits })
})
