import { expect, it } from 'vitest'
import { planOrigin } from '#template/plan.ts'
import { recognised } from '#template/relevance.ts'
import { templateOf } from '#template/testing/site.ts'

const place = { scheme: 'http', hostname: 'lab.test', address: '127.42.3.8', port: 80, basePath: '/' } as const

function check(id: string, path: string, about: string) {
  return templateOf(
    `id: ${id}\ninfo: { name: ${id}, ${about} }\nhttp:\n  - path: ["{{BaseURL}}${path}"]\n    matchers: [{ type: word, words: [a] }]\n`,
  )
}

it.each([
  ['metadata', 'metadata: { product: acme-cms }'],
  ['a tag', 'tags: "cve,acme-cms"'],
  ['the CPE', 'classification: { cpe: "cpe:2.3:a:acme:acme_cms:*:*:*:*:*:*:*:*" }'],
])('what %s names comes first when it was recognised, after the front page', (_name, about) => {
  const templates = [
    check('one', '/common', ''),
    check('two', '/common', ''),
    check('mine', '/mine', about),
    check('front', '', ''),
  ]
  const paths = (names: ReadonlySet<string>) =>
    planOrigin({ templates }, place, names).requests.map(({ request }) => request.path)
  const wfn = { product: 'acme_cms' }
  expect(paths(new Set())).toEqual(['/', '/common', '/mine'])
  expect(paths(recognised([{ name: 'Acme CMS', wfn }]))).toEqual(['/', '/mine', '/common'])
})
