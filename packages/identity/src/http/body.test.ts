import { expect, it } from 'vitest'
import { readBody } from '#http/body.ts'

const form = 'application/x-www-form-urlencoded'
const read = (type: string | undefined, text: string) => readBody(type, Buffer.from(text))

it.each([
  [
    'application/json',
    '{"traits.name.first":"A","traits":{"email":"e"}}',
    { traits: { email: 'e', name: { first: 'A' } } },
  ],
  [
    'application/json; charset=utf-8',
    '{"traits":{"email":"e"},"traits.name.first":"A"}',
    { traits: { email: 'e', name: { first: 'A' } } },
  ],
  [form, 'traits.name.first=A&traits.name.last=B&empty=', { traits: { name: { first: 'A', last: 'B' } } }],
  [form, 'flag=false&flag=true', { flag: 'true' }],
  [form, '__proto__.polluted=1&a.__proto__.polluted=1&a.b=2', { a: { b: '2' } }],
  ['multipart/form-data; boundary=x', '--x--', {}],
])('parses %s %s', (type, text, fields) => {
  expect(read(type, text)).toEqual({ kind: 'fields', fields })
  expect({}).not.toHaveProperty('polluted')
})

it.each([
  ['application/json', '', 'Content-Length'],
  ['application/json', '{"a":', 'Unable to decode form as JSON.'],
  ['application/json', '[]', 'to be an object but got: JSON'],
  ['application/json', 'null', 'to be an object but got: Null'],
  ['application/json', 'false', 'to be an object but got: False'],
  ['application/json', '"a"', 'to be an object but got: String'],
  ['application/json', '1', 'to be an object but got: Number'],
  ['application/json', '{"a":{"b":["\\u0000"]}}', 'NUL'],
  [form, 'a=%00', 'NUL'],
  [form, `a${'.a'.repeat(100_000)}=1`, 'nested too deeply'],
  ['application/json', '{"a":{"b":["\\ud800"]}}', 'not valid Unicode'],
  ['application/json', '{"a":{"\\udc00b":1}}', 'not valid Unicode'],
  ['application/json', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'nested too deeply'],
  ['text/plain', 'a=b', 'unknown HTTP Header "Content-Type: text/plain"'],
  [undefined, 'a=b', 'unknown HTTP Header "Content-Type: "'],
])('rejects %s %j', (type, text, reason) => {
  expect(read(type, text)).toMatchObject({ kind: 'unreadable', reason: expect.stringContaining(reason) })
})
