import { expect, it } from 'vitest'
import { addressChangedMail, recoveryMail, secondFactorMail, verificationMail } from '#mail.ts'

it('contains the code and the link, but no code in the subject', () => {
  const mail = verificationMail(
    'a@b.test',
    '012345',
    'https://id.test/self-service/verification?code=012345&flow=1',
    15,
  )
  expect(mail.subject).toBe('Verify your email address')
  expect(mail.text).toContain('012345\n')
  expect(mail.text).toContain('https://id.test/self-service/verification?code=012345&flow=1')
  expect(mail.html).toContain('href="https://id.test/self-service/verification?code=012345&#38;flow=1"')
})

it.each([
  [1, 'valid for 1 minute.'],
  [15, 'valid for 15 minutes.'],
])('states how long the code is valid: %i', (minutes, expected) => {
  expect(recoveryMail('a@b.test', '000000', minutes).text).toContain(expected)
})

it('does not tell users to ignore an unexpected code that follows their password', () => {
  const { text } = secondFactorMail('a@b.test', '000000', 15)
  expect(text).toContain('someone else may know your password')
  expect(text).not.toContain('ignore')
})

it('SEC-D3 escapes user input', () => {
  const { html } = addressChangedMail('a@b.test', '"><img src=x onerror=alert(1)>@b.test')
  expect(html).not.toContain('<img')
})

it('SEC-D3 prevents header injection', () => {
  const { to, subject } = recoveryMail('a@b.test\r\nBcc: other@b.test', '000000', 15)
  expect(to).not.toMatch(/[\r\n]/)
  expect(subject).not.toMatch(/[\r\n]/)
})
