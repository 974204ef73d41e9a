import { expect, it } from 'vitest'
import { WireError } from '#http/error.ts'
import { checkReturnTo } from '#return-to.ts'

const baseUrls = { publicUrl: 'https://glacis.example/id', portalUrl: 'https://glacis.example/app' }

it.each([
  ['https://glacis.example/app', 'https://glacis.example/app'],
  ['https://glacis.example/app/scope?create=true#top', 'https://glacis.example/app/scope?create=true#top'],
  ['HTTPS://GLACIS.example:443/app/', 'https://glacis.example/app/'],
  ['/app/scope', 'https://glacis.example/app/scope'],
  ['https://glacis.example/id/self-service/settings?flow=1', 'https://glacis.example/id/self-service/settings?flow=1'],
])('SEC-A6 accepts %s', (value, url) => {
  expect(checkReturnTo(value, baseUrls)).toEqual({ original: value, url })
})

it.each([
  'https://evil.example/app',
  'http://glacis.example/app',
  'https://glacis.example:8443/app',
  'https://glacis.example.evil.example/app',
  'https://glacis.example@evil.example/app',
  'https://user:secret@glacis.example/app',
  'https://user@glacis.example/app',
  'https://glacis.example/application',
  'https://glacis.example/app/../admin',
  'https://glacis.example/app/%2e%2e/admin',
  'https://glacis.example/id/sessions/whoami',
  '//evil.example/app',
  '/\\evil.example/app',
  '\\\\evil.example/app',
  '///evil.example/app',
  'https:\\\\evil.example/app',
  'javascript:alert(1)',
  'JaVaScRiPt://glacis.example/app/%0aalert(1)',
  'data:text/html,hello',
  'blob:https://glacis.example/app',
  '/scope',
  'scope',
])('SEC-A6 rejects %s', (value) => {
  expect(() => checkReturnTo(value, baseUrls)).toThrow(WireError)
})

it.each([
  'https://glacis.example:99999/app',
  'http://localhost:3000.evil.example/',
  '/app/\0',
  '/\t/evil.example/',
  ' \n/app',
  'https://glacis.example\\@evil.example/',
  'https://glacis.example/app/%zz',
  '/app/%',
])('rejects the malformed URL %j', (value) => {
  const check = () => checkReturnTo(value, baseUrls)
  expect(check).toThrow(WireError)
  expect(check).toThrow('The request was malformed')
})

it.each([null, ''])('returns null for %j', (value) => {
  expect(checkReturnTo(value, baseUrls)).toBeNull()
})
