import { expect, it } from 'vitest'
import { cutPage, readPage, signPagesWith } from '#database/page.ts'

const question = { filter: 'x' }
function token(): string {
  const page = readPage({ pageSize: 1 }, question)
  return cutPage(page, [{ id: 'a' }, { id: 'b' }], (row) => [row.id]).nextPageToken
}

it('gives back the place of the row that was seen last', () => {
  expect(readPage({ pageToken: token() }, question).after).toEqual(['a'])
})

it.each([
  ['another question', () => readPage({ pageToken: token() }, { filter: 'y' })],
  ['a changed token', () => readPage({ pageToken: `${token().slice(0, -2)}AA` }, question)],
  [
    'a token of one’s own making',
    () => readPage({ pageToken: Buffer.from('{"q":"","k":["a"]}').toString('base64url') }, question),
  ],
  ['characters that are none of it', () => readPage({ pageToken: '\u{1F600}'.repeat(30) }, question)],
])('refuses %s', (_, read) => expect(read).toThrow('pageToken'))

it('refuses what another installation has signed', () => {
  const foreign = token()
  signPagesWith('another')
  expect(() => readPage({ pageToken: foreign }, question)).toThrow('Invalid pageToken')
})
