import { describe, expect, it } from 'vitest'
import { parseTemplate } from '#template/parse.ts'
import { requestOf } from '#template/request-builders.ts'
import { variablesOf } from '#template/variables.ts'
import { place } from '#template/testing/target.ts'

describe('requestOf', () => {
  const request = (path: string, basePath: string) => {
    const template = parseTemplate(
      't.yaml',
      `id: t\ninfo: { name: t }\nhttp:\n  - path: ['${path}']\n    matchers: [{ type: status, status: [200] }]\n`,
    )
    if ('reason' in template) throw new Error(template.reason)
    const [block] = template.http
    const variables = variablesOf({ ...place, basePath })
    return block && requestOf(block, path, basePath, (name) => variables.get(name))
  }

  it.each([
    ['{{BaseURL}}', '/', '/'],
    ['{{BaseURL}}/x', '/', '/x'],
    ['{{BaseURL}}//x', '/', '//x'],
    ['{{BaseURL}}/x', '/app/', '/app/x'],
    ['{{BaseURL}}', '/app/', '/app/'],
    ['{{RootURL}}/x', '/app', '/x'],
    ['{{BaseURL}}?a=b', '/', '/?a=b'],
    ['{{BaseURL}}/{{Host}}.zip', '/', '/shop.example.co.zip'],
  ])('%s on %s requests %s', (path, basePath, expected) => {
    expect(request(path, basePath)).toMatchObject({ method: 'GET', path: expected })
  })

  it.each([['{{BaseURL}}:8080/x'], ['{{BaseURL}}.elsewhere.test/'], ['{{BaseURL}}@elsewhere.test/']])(
    'does not send %s, which would leave the target',
    (path) => {
      expect(request(path, '/')).toBeNull()
    },
  )
})
