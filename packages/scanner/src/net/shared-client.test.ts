import { expect, it } from 'vitest'
import type { HttpFailure } from '#net/http-message.ts'
import { createSharedClient } from '#net/shared-client.ts'

const origin = { address: '127.0.0.1', port: 80, tls: false, hostname: 'lab.test' }
const failure: HttpFailure = { kind: 'failure', reason: 'no complete response', local: false }
const signal = new AbortController().signal

it.each([
  [undefined, 1],
  [5000, 2],
])('repeats a failed request only if it had less time: %s ms', async (deadlineMs, expected) => {
  let sent = 0
  const client = createSharedClient({
    usesHttp2: () => false,
    request: async () => {
      sent += 1
      return failure
    },
  })
  const page = { method: 'GET', path: '/' }
  await client.request(origin, page, { signal, ...(deadlineMs !== undefined && { deadlineMs }) })
  await client.request(origin, page, { signal })
  expect(sent).toBe(expected)
})
