import { expect, it } from 'vitest'
import { appliesToService } from '#template/network.ts'
import { parseTemplate } from '#template/parse.ts'

function templateWith(tags: string) {
  const source = `id: demo
info:
  name: Demo
  author: lab
  severity: low
  metadata: { glacis-protocol: ldap }
  tags: ${tags}
tcp:
  - inputs: [{ data: "x" }]
    host: ["{{Hostname}}"]
    port: 389
    matchers: [{ type: word, words: [x] }]
`
  const parsed = parseTemplate('demo.yaml', source)
  if (!('network' in parsed)) throw new Error('The template was rejected')
  return parsed
}

it.each([
  ['ldap,cleartext', false, true],
  ['ldap,cleartext', true, false],
  ['ldap,unauth', true, true],
] as const)('applies a check with the tags %s to a service with TLS %s: %s', (tags, tls, expected) => {
  const template = templateWith(tags)
  const [block] = template.network
  expect(block && appliesToService(template, block, { port: 10_389, protocol: 'ldap', tls })).toBe(expected)
})
