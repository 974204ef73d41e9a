import { expect, it } from 'vitest'
import { acceptsJson, wantsJson } from '#http/negotiate.ts'

const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

it.each([
  ['application/json', true],
  ['application/json, text/plain, */*', true],
  ['application/*', true],
  ['text/html;q=0.8, application/json', true],
  ['text/html, application/json', false],
  ['application/json;q=0.5, text/html;q=0.9', false],
  ['application/json;q=0', false],
  [page, false],
  ['*/*', false],
  [undefined, false],
  ['nonsense;;q=', false],
])('Accept %s prefers JSON: %s', (accept, expected) => {
  expect(acceptsJson(accept)).toBe(expected)
  expect(wantsJson(accept, undefined)).toBe(expected)
})

it('a JSON body requests JSON, except when starting a flow', () => {
  expect(wantsJson(page, 'application/json')).toBe(true)
  expect(wantsJson(page, 'application/json; charset=utf-8')).toBe(false)
  expect(acceptsJson(page)).toBe(false)
})
