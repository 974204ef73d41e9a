import { expect, it } from 'vitest'
import { appliesTo, isSharedPath, isForeignPath, namesOfMatch, runtimesOf } from '#template/selection.ts'
import { templateOf } from '#template/testing/site.ts'

function check(info: string) {
  return templateOf(
    `id: a\ninfo: { name: a, ${info} }\nhttp:\n  - path: ["{{BaseURL}}/"]\n    matchers: [{ type: word, words: [a] }]\n`,
  )
}

it.each([
  ['tags: exposure', [], true],
  ['metadata: { product: acme }', [], false],
  ['metadata: { product: acme }', ['acme'], true],
  ['tags: "php,acme", metadata: { product: acme }', ['php'], false],
])('a check with %s on a service with %j is worth its requests: %s', (info, names, isWorth) => {
  expect(appliesTo(check(info), new Set(names))).toBe(isWorth)
})

it('leaves the folders of a product alone that was not recognised, unless the scan is deep', () => {
  expect(isForeignPath('/wp-content/plugins/x', new Set(), 'standard')).toBe(true)
  expect(isForeignPath('/wp-content/plugins/x', new Set(['wordpress']), 'standard')).toBe(false)
  expect(isForeignPath('/wp-content/plugins/x', new Set(), 'deep')).toBe(false)
})

const redirect =
  'tags: "cve,redirect", classification: { cve-id: CVE-2020-0001, cpe: "cpe:2.3:a:acme:acme:*:*:*:*:*:*:*:*" }'

it.each([
  ['a redirect of any server', redirect, '//elsewhere', [], true],
  ['a redirect of the product', redirect, '//elsewhere', ['acme'], false],
  ['a dump on a server without WordPress', 'tags: "exposure,wordpress"', '/dump.sql', [], true],
  ['a file within WordPress', 'tags: "exposure,wordpress"', '/wp-content/dump.sql', [], false],
  ['what names no product', 'tags: redirect', '//elsewhere', [], false],
])('%s is borrowed proof or not', (_name, info, path, names, isIt) => {
  expect(isSharedPath(check(info), new Set(names), path)).toBe(isIt)
})

it('learns names from checks that recognise, and no words that everything is called', () => {
  expect(namesOfMatch(check('tags: "tech,acme,discovery"'), 'Big Server')).toEqual(['acme', 'big_server'])
  expect(namesOfMatch(check('tags: "cve,acme"'), 'Big Server')).toEqual([])
})

it.each([
  ['Keep-Alive', 'timeout=5', ['node.js']],
  ['Keep-Alive', 'timeout=5, max=100', []],
  ['Server', 'timeout=5', []],
])('knows a runtime by %s: %s or not', (name, value, expected) => {
  expect([...runtimesOf([{ headers: [[name, value]] }])]).toEqual(expected)
})
