import { expect, it } from 'vitest'
import { isEmail, readTraits } from '#schema.ts'

it.each(['a@b.ch', 'first.last+tag@sub.example.test', "o'neil@example.test", 'ü@bücher.example', 'a@localhost'])(
  'takes %s for an address',
  (value) => {
    expect(isEmail(value)).toBe(true)
  },
)

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
])('takes %j for none', (value) => {
  expect(isEmail(value)).toBe(false)
})

const whole = { email: 'a@b.ch', name: { first: 'A', last: 'B' } }
it.each([
  [{ ...whole, role: 'admin' }, 'traits', 4000001],
  [{ ...whole, name: { ...whole.name, middle: 'C' } }, 'traits.name', 4000001],
  [{ ...whole, email: 7 }, 'traits.email', 4000026],
  [{ ...whole, email: 'nobody' }, 'traits.email', 4000040],
  [{ ...whole, name: { first: '', last: 'B' } }, 'traits.name.first', 4000003],
  [{ ...whole, name: { first: 'x'.repeat(129), last: 'B' } }, 'traits.name.first', 4000017],
  [{ ...whole, name: 'A B' }, 'traits.name.last', 4000002],
  ['traits', 'traits.email', 4000002],
])('refuses %j', (value, field, id) => {
  const reading = readTraits(value)
  const messages = reading.kind === 'invalid' ? reading.messages : []
  expect(messages).toContainEqual(expect.objectContaining({ field, message: expect.objectContaining({ id }) }))
})

it('takes the traits of a person', () => {
  expect(readTraits(whole)).toEqual({ kind: 'traits', traits: whole })
})
