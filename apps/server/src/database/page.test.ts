import { expect, it } from 'vitest'
import { cutPage, readPage, signPagesWith } from '#database/page.ts'

const query = { filter: 'x' }
function token(): string {
  const page = readPage({ pageSize: 1 }, query)
  return cutPage(page, [{ id: 'a' }, { id: 'b' }], (row) => [row.id]).nextPageToken
}

it('returns the sort key of the last row of the previous page', () => {
  expect(readPage({ pageToken: token() }, query).after).toEqual(['a'])
})

it.each([
  ['a token of another query', () => readPage({ pageToken: token() }, { filter: 'y' })],
  ['a changed token', () => readPage({ pageToken: `${token().slice(0, -2)}AA` }, query)],
  ['an unsigned token', () => readPage({ pageToken: Buffer.from('{"q":"","k":["a"]}').toString('base64url') }, query)],
  ['invalid characters', () => readPage({ pageToken: '\u{1F600}'.repeat(30) }, query)],
])('rejects %s', (_, read) => expect(read).toThrow('pageToken'))

it('rejects tokens signed by another installation', () => {
  const foreign = token()
  signPagesWith('another')
  expect(() => readPage({ pageToken: foreign }, query)).toThrow('Invalid pageToken')
})
