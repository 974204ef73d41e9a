import { describe, expect, it } from 'vitest'
import { encodePath, requestOf } from '#template/http.ts'
import { parseTemplate } from '#template/parse.ts'
import { fillIn, variablesOf } from '#template/variables.ts'

describe('a path', () => {
  it.each([
    ['/../../etc/passwd', '/../../etc/passwd'],
    ['/%2e%2e//a', '/%2e%2e//a'],
    ['/a%00b', '/a%00b'],
    ['/a b?c=d e', '/a%20b?c=d+e'],
    ['/"<x>"', '/%22%3Cx%3E%22'],
    ['/é', '/%C3%A9'],
    ['/%u2s', '/%25u2s'],
    ['/a#b', '/a'],
    ["/'{}|^`\\", "/'{}|^`\\"],
  ])('%s leaves as %s', (written, sent) => {
    expect(encodePath(written)).toBe(sent)
  })
})

const place = {
  scheme: 'https',
  hostname: 'shop.example.co',
  address: '127.42.0.1',
  port: 8443,
  basePath: '/app/index.html',
} as const

describe('variables', () => {
  it.each([
    ['{{BaseURL}}', 'https://shop.example.co:8443/app/index.html'],
    ['{{RootURL}}', 'https://shop.example.co:8443'],
    ['{{Hostname}}', 'shop.example.co:8443'],
    ['{{Host}}', 'shop.example.co'],
    ['{{Port}}', '8443'],
    ['{{Scheme}}', 'https'],
    ['{{Path}}', '/app'],
    ['{{File}}', 'index.html'],
    ['{{FQDN}}', 'shop.example.co'],
    ['{{DN}}', 'example'],
    ['{{TLD}}', 'co'],
    ['{{SD}}', 'shop'],
    ['{{md5("a")}}', '0cc175b9c0f1b6a831c399e269772661'],
    ['{{to_upper(Scheme)}}-{{Port}}', 'HTTPS-8443'],
  ])('%s is %s', (text, expected) => {
    const variables = variablesOf(place)
    expect(fillIn(text, (name) => variables.get(name))).toBe(expected)
  })

  it('have no domain for an address, so that nothing is sent', () => {
    const variables = variablesOf({ ...place, hostname: '127.42.0.1' })
    expect(fillIn('/{{DN}}.zip', (name) => variables.get(name))).toBeNull()
  })
})

describe('the request of a block', () => {
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
  ])('%s on %s asks for %s', (path, basePath, expected) => {
    expect(request(path, basePath)).toMatchObject({ method: 'GET', path: expected })
  })

  it.each([['{{BaseURL}}:8080/x'], ['{{BaseURL}}.elsewhere.test/'], ['{{BaseURL}}@elsewhere.test/']])(
    '%s would leave the target and is not sent',
    (path) => {
      expect(request(path, '/')).toBeNull()
    },
  )
})
