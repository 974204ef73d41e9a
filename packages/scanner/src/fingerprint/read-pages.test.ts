import { describe, expect, it } from 'vitest'
import { readPages, requestsAtOnceTo } from '#fingerprint/read-pages.ts'
import type { HttpResponse } from '#net/http-message.ts'

const page = (change: Partial<HttpResponse> = {}): HttpResponse => ({
  kind: 'response',
  status: 200,
  statusText: 'OK',
  headers: [],
  body: Buffer.alloc(0),
  truncated: false,
  durationMs: 1,
  request: '',
  ...change,
})
const failure = { kind: 'failure', reason: 'no response', local: false } as const

describe('requestsAtOnceTo', () => {
  it.each([
    ['a fast server', page(), 1],
    ['a slow server', page({ durationMs: 1000 }), 4],
    [
      'a slow server that crashes when requests overlap',
      page({ durationMs: 1000, headers: [['Server', 'owhttpd/3']] }),
      1,
    ],
  ])('%s', (_what, first, count) => {
    expect(requestsAtOnceTo(first)).toBe(count)
  })
})

describe('readPages', () => {
  const paths = ['/a', '/b', '/c', '/d', '/e', '/f']

  it('returns the pages in the order of their paths, regardless of which response arrives first', async () => {
    const waiting = new Map<string, () => void>()
    const reading = readPages(
      paths,
      (path) => {
        const { promise, resolve } = Promise.withResolvers<HttpResponse>()
        waiting.set(path, () => resolve(page()))
        return promise
      },
      { atOnce: 6 },
    )
    for (const path of paths.toReversed()) waiting.get(path)?.()
    expect((await reading).map(([path]) => path)).toEqual(paths)
  })

  it.each([1, 4])('requests each path once, with at most %i requests in flight', async (atOnce) => {
    let running = 0
    let most = 0
    const seen: string[] = []
    await readPages(
      [...paths, ...paths],
      async (path) => {
        seen.push(path)
        most = Math.max(most, ++running)
        await Promise.resolve()
        running--
        return page()
      },
      { atOnce },
    )
    expect({ seen, most }).toEqual({ seen: paths, most: atOnce })
  })

  it.each([
    ['a request fails', () => failure, {}],
    ['a page is the last', () => page({ status: 401 }), { isLast: ({ status }: HttpResponse) => status === 401 }],
  ])('stops requesting once %s', async (_what, answer, options) => {
    const seen: string[] = []
    const read = (path: string) => {
      seen.push(path)
      return Promise.resolve(path === '/b' ? answer() : page())
    }
    const pages = await readPages(paths, read, { atOnce: 1, ...options })
    expect({ seen, pages: pages.map(([path]) => path) }).toEqual({ seen: ['/a', '/b'], pages: ['/a'] })
  })
})
