import { expect, it } from 'vitest'
import { createJar } from '#net/cookie-jar.ts'

function response(...lines: readonly string[]) {
  const headers = lines.map((line) => ['Set-Cookie', line] as const)
  const rest = {
    kind: 'response',
    status: 200,
    statusText: 'OK',
    truncated: false,
    durationMs: 1,
    request: '',
  } as const
  return { ...rest, headers, body: Buffer.alloc(0) }
}
const past = 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'

it.each([
  ['/', ['a=1; Path=/'], '/x', 'a=1'],
  ['/', ['a=1', 'b=2; HttpOnly'], '/x', 'a=1; b=2'],
  ['/', ['a=1', 'a=2'], '/x', 'a=2'],
  ['/', ['a=1', `a=; ${past}`], '/x', undefined],
  ['/', ['a=1', 'a=; Max-Age=0'], '/x', undefined],
  ['/app/login', ['a=1'], '/app/x', 'a=1'],
  ['/app/login', ['a=1'], '/other', undefined],
  ['/', ['a=1; path=/app'], '/apple', undefined],
  ['/', ['a=1; path=/app'], '/app?x', 'a=1'],
  ['/', ['a=b=c; path=/'], '/', 'a=b=c'],
  ['/', ['nonsense'], '/', undefined],
])('%s with %j sends to %s: %s', (path, lines, next, cookie) => {
  const jar = createJar()
  jar.storeCookies(path, response(...lines))
  expect(jar.addCookies({ method: 'GET', path: next }).headers?.['Cookie']).toBe(cookie)
})

it('appends its cookies to those of the request', () => {
  const jar = createJar()
  jar.storeCookies('/', response('a=1'))
  expect(jar.addCookies({ method: 'GET', path: '/', headers: { cookie: 'b=2;' } }).headers).toEqual({
    Cookie: 'b=2; a=1',
  })
})

it('stores at most fifty cookies', () => {
  const jar = createJar()
  jar.storeCookies('/', response(...Array.from({ length: 80 }, (_, at) => `c${at}=1`)))
  expect(jar.addCookies({ method: 'GET', path: '/' }).headers?.['Cookie']?.split(';')).toHaveLength(50)
})
