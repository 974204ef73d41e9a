import { readFileSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { CheckPermission } from '@glacis/contract/runner'
import { describe, expect, it } from 'vitest'
import { parseTemplate } from '#template/parse.ts'
import { serveSite, summary } from '#template/testing/site.ts'

const kinds = CheckPermission.options
const templateWith = (tags: string, more = '') => `id: probe
info: { name: probe, severity: low, tags: "acme,${tags}" }
http:
  - method: POST
    path: ["{{BaseURL}}/change"]
    body: changed=1
${more}    matchers:
      - { type: status, status: [200] }
`
const passwords = '    payloads: { password: [admin, guest] }\n'

describe('SEC-C5 an intrusive check', () => {
  it.each([
    ['dos', 'crashes', ''],
    ['intrusive', 'writes', ''],
    ['fuzz', 'writes', ''],
    ['default-login', 'logins', ''],
    ['brute-force', 'logins', ''],
    ['credentials', 'logins', passwords],
  ] as const)('with the tag %s sends nothing unless %s are permitted', async (tag, needed, payloads) => {
    await using site = await serveSite('127.42.3.9', (_request, response) => response.end('changed'))
    const template = templateWith(tag, payloads)
    const changes = () => site.asked.filter((line) => line.startsWith('POST /change'))
    const others = new Set(kinds.filter((kind) => kind !== needed))
    for (const permissions of [new Set<CheckPermission>(), others]) {
      const observations = await site.run(template, { permissions, profile: 'deep', isExhaustive: true })
      expect(changes()).toEqual([])
      expect(summary(observations).covered).toEqual([])
      expect(observations.filter(({ kind }) => kind === 'skipped')).toMatchObject([{ permission: needed }])
    }
    await site.run(template, { permissions: new Set([needed]), isExhaustive: true })
    expect(changes().length).toBeGreaterThan(0)
  })
})

it('SEC-C5 no built-in check that runs without permissions sends a request that creates, replaces, or deletes', () => {
  const folder = join(import.meta.dirname, '../../../../packs/checks')
  const files = globSync('**/*.yaml', { cwd: folder })
  const templates = files.flatMap((file) => {
    const parsed = parseTemplate(file, readFileSync(join(folder, file), 'utf8'))
    return 'reason' in parsed ? [] : [parsed]
  })
  expect(templates.length).toBeGreaterThan(300)
  const methods = templates
    .filter(({ permission }) => permission === null)
    .flatMap(({ http }) =>
      http.flatMap(({ method, raws }) => [method, ...raws.map(({ text }) => text.trim().split(' ')[0] ?? '')]),
    )
  expect(methods).toContain('POST')
  const changing = ['PUT', 'PATCH', 'DELETE', 'MKCOL', 'MOVE', 'COPY']
  expect(methods.filter((method) => changing.includes(method))).toEqual([])
})
