import { afterAll, expect, it } from 'vitest'
import { createRequestCounts } from '#request-counts.ts'
import { sharedTestServer } from '#testing/test-server.ts'

const server = await sharedTestServer()
const counts = createRequestCounts(server.database.owner, { info() {}, warn() {}, error() {} })
afterAll(() => counts.close())

it('reads the count of a client without changing it, and no count of an ended window', () => {
  const store = new counts.Store()
  const read = (key: string) => {
    let current: number | undefined
    store.read(key, (_, result) => (current = result?.current), 60_000, 100)
    return current
  }
  const count = (key: string, windowMs: number) => store.incr(key, () => undefined, windowMs, 100)
  count('a', 60_000)
  count('a', 60_000)
  count('b', 0)
  expect([read('a'), read('a'), read('b'), read('c')]).toEqual([2, 2, 0, 0])
})
