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
])('appliesTo: a check with %s on a service with %j: %s', (info, names, expected) => {
  expect(appliesTo(check(info), new Set(names))).toBe(expected)
})

it('skips folders of unidentified products, except in deep scans', () => {
  expect(isForeignPath('/wp-content/plugins/x', new Set())).toBe(true)
  expect(isForeignPath('/wp-content/plugins/x', new Set(['wordpress']))).toBe(false)
})

const redirect =
  'tags: "cve,redirect", classification: { cve-id: CVE-2020-0001, cpe: "cpe:2.3:a:acme:acme:*:*:*:*:*:*:*:*" }'

it.each([
  ['a redirect of any server', redirect, '//elsewhere', [], true],
  ['a redirect of the product', redirect, '//elsewhere', ['acme'], false],
  ['a dump on a server without WordPress', 'tags: "exposure,wordpress"', '/dump.sql', [], true],
  ['a file within WordPress', 'tags: "exposure,wordpress"', '/wp-content/dump.sql', [], false],
  ['a check without a product', 'tags: redirect', '//elsewhere', [], false],
])('isSharedPath: %s', (_name, info, path, names, expected) => {
  expect(isSharedPath(check(info), new Set(names), path)).toBe(expected)
})

it('learns names from detection checks, except generic words', () => {
  expect(namesOfMatch(check('tags: "tech,acme,discovery"'), 'Big Server')).toEqual(['acme', 'big_server'])
  expect(namesOfMatch(check('tags: "cve,acme"'), 'Big Server')).toEqual([])
})

it.each([
  ['Keep-Alive', 'timeout=5', ['node.js']],
  ['Keep-Alive', 'timeout=5, max=100', []],
  ['Server', 'timeout=5', []],
])('detects a runtime by %s: %s', (name, value, expected) => {
  expect([...runtimesOf([{ headers: [[name, value]] }])]).toEqual(expected)
})
