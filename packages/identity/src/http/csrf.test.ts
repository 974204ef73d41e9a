import { expect, it } from 'vitest'
import { matchesToken, isToken, mask, newToken } from '#http/csrf.ts'

it('masks a token differently each time and matches all masks', () => {
  const token = newToken()
  const [first, second] = [mask(token), mask(token)]
  expect(first).not.toBe(second)
  expect([matchesToken(first, token), matchesToken(second, token), matchesToken(token, token)]).toEqual([
    true,
    true,
    true,
  ])
})

it.each(['', 'bad', newToken(), mask(newToken()), 'A'.repeat(200)])('rejects %s', (sent) => {
  expect(matchesToken(sent, newToken())).toBe(false)
})

it('matches a token masked by Kratos', () => {
  // A form token and its cookie from a disposable Kratos instance.
  const cookie = 'zPJxetULKbPLiZTYtfSW+YHA8x7dSuehvxyn4eGJ+BQ='
  const masked = 'hnoE6TcLYdUhScNOppX2cFl8jhlXcybeGWBnTBkwSQpKiHWT4gBIZurAV5YTYWCJ2Lx9B4o5wX+mfMCt+LmxHg=='
  expect(isToken(cookie)).toBe(true)
  expect(matchesToken(masked, cookie)).toBe(true)
})

it.each(['', 'short', `${newToken()}A`])('rejects the malformed cookie %j', (value) => {
  expect(isToken(value)).toBe(false)
})
