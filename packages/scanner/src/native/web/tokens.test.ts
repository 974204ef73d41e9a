import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { findOnSite } from '#native/testing/examine.ts'

/** A session cookie as Flask signs it. */
function session(secret: string): string {
  const signed = `${Buffer.from('{"role":"guest"}').toString('base64url')}.awl-bg`
  const key = createHmac('sha1', secret).update('cookie-session').digest()
  return `session=${signed}.${createHmac('sha1', key).update(signed).digest('base64url')}; HttpOnly; Path=/`
}

function found(secret: string, at: string): Promise<string[]> {
  return findOnSite(({ url = '' }, response) => {
    if (url === at) response.setHeader('set-cookie', session(secret))
    if (url === '/' && at !== '/') response.writeHead(302, { location: at })
    response.end('<title>Reports</title>')
  })
}

it.each(['/', '/login/'])('tests the session cookie of %s', async (at) => {
  expect(await found('YOUR_OWN_RANDOM_GENERATED_SECRET_KEY', at)).toContain('session-weak-secret')
  expect(await found('bXkgb3duIHJhbmRvbSBieXRlcw', at)).not.toContain('session-weak-secret')
})

it.each<[string, (turn: number) => string, boolean]>([
  ['counts', (turn) => `sid=${100_418 + turn}; HttpOnly`, true],
  ['counts other visitors as well', (turn) => `PHPSESSID=${7 + 3 * turn}`, true],
  ['is random', (turn) => `sid=${[48_127_733, 9_182_736, 77_342_101][turn % 3]}`, false],
  ['stays the same', () => 'sid=100418', false],
  ['has another purpose', (turn) => `views=${turn}`, false],
])('evaluates a session number that %s', async (_, cookieOf, expected) => {
  let turn = 0
  const found = await findOnSite((_request, response) => {
    response.setHeader('set-cookie', cookieOf(turn++))
    response.end('<title>Reports</title>')
  })
  expect(found.includes('session-id-predictable')).toBe(expected)
})

/** `value--signature`, as Mojolicious signs a cookie with its name. */
const signed = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

it.each([
  ['the name of the application', `canteen=e30--${signed('canteen', 'canteen=e30')}`, true],
  ['a secret of an example', `auth=guest.${signed('changeme', 'guest')}`, true],
  ['a secret of its own', `auth=guest.${signed('bXkgb3duIHJhbmRvbSBieXRlcw', 'guest')}`, false],
])('tests a cookie with a hexadecimal signature by %s', async (_, cookie, expected) => {
  const found = await findOnSite((_request, response) =>
    response.setHeader('set-cookie', cookie).end('<title>Shop</title>'),
  )
  expect(found.includes('session-weak-secret')).toBe(expected)
})
