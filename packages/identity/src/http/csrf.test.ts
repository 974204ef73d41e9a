import { expect, it } from 'vitest'
import { fits, isToken, mask, newToken } from '#http/csrf.ts'

it('masks a token differently each time, and knows it again', () => {
  const token = newToken()
  const [one, other] = [mask(token), mask(token)]
  expect(one).not.toBe(other)
  expect([fits(one, token), fits(other, token), fits(token, token)]).toEqual([true, true, true])
})

it.each(['', 'bad', newToken(), mask(newToken()), 'A'.repeat(200)])('refuses %s', (sent) => {
  expect(fits(sent, newToken())).toBe(false)
})

it('unmasks what the compatible service masked', () => {
  // A pair of form token and cookie from a throw-away instance of it.
  const cookie = 'zPJxetULKbPLiZTYtfSW+YHA8x7dSuehvxyn4eGJ+BQ='
  const masked = 'hnoE6TcLYdUhScNOppX2cFl8jhlXcybeGWBnTBkwSQpKiHWT4gBIZurAV5YTYWCJ2Lx9B4o5wX+mfMCt+LmxHg=='
  expect(isToken(cookie)).toBe(true)
  expect(fits(masked, cookie)).toBe(true)
})

it.each(['', 'short', `${newToken()}A`])('takes %j for no cookie of ours', (value) => {
  expect(isToken(value)).toBe(false)
})
