import { expect, it } from 'vitest'
import { eventId, readEventId } from '#notifications/event-id.ts'

const position = { xid: '4294967999', id: 12 }

it('contains the position, for its own workspace only', () => {
  const id = eventId('a', position)
  expect(id).toMatch(/^[\w-]{22}$/)
  expect(readEventId('a', id)).toEqual(position)
  expect(readEventId('b', id)).not.toEqual(position)
})

it('reveals neither numbers nor distances', () => {
  const ids = Array.from({ length: 200 }, (_, index) => eventId('a', { ...position, id: index }))
  expect(new Set(ids).size).toBe(200)
  const bytes = ids.map((id) => Buffer.from(id, 'base64url'))
  // About half of the 128 bits differ between the IDs of neighbors.
  const differing = bytes.slice(1).map((block, index) => {
    const other = bytes[index] ?? Buffer.alloc(16)
    return [...block].reduce(
      (sum, byte, at) => sum + (byte ^ (other[at] ?? 0)).toString(2).replaceAll('0', '').length,
      0,
    )
  })
  expect(Math.min(...differing)).toBeGreaterThan(30)
})

it.each(['', '1.2', "1'; drop", 'x'.repeat(21), 'x'.repeat(23), `${'x'.repeat(21)}=`])('rejects %j', (text) => {
  expect(readEventId('a', text)).toBeNull()
})
