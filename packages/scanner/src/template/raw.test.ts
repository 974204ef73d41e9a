import { describe, expect, it } from 'vitest'
import { rawRequestOf, readRawText } from '#template/raw.ts'
import { variablesOf } from '#template/variables.ts'

const place = { scheme: 'http', hostname: 'lab.test', address: '127.42.3.5', port: 8080 } as const

function written(source: string, basePath = '/', { isMerged = true, isLenient = false } = {}) {
  const read = readRawText(source)
  if (typeof read === 'string') throw new Error(read)
  const variables = variablesOf({ ...place, basePath })
  return rawRequestOf({ ...read, isMerged, isLenient }, basePath, (name) => variables.get(name))
}

describe('the request target of a raw request', () => {
  it.each([
    ['GET /x HTTP/1.1', '/', '/x'],
    ['GET /x?q=a b HTTP/1.1', '/', '/x?q=a'],
    ['GET /../%2e%2e//x HTTP/1.1', '/', '/../%2e%2e//x'],
    ['GET /x HTTP/1.1', '/app/', '/app/x'],
    ['GET / HTTP/1.1', '/app/', '/app/'],
    ['GET HTTP/1.1', '/app/', '/app/'],
    ['GET {{BaseURL}}/x HTTP/1.1', '/app/', '/app/x'],
    ['GET http://{{Hostname}}/x HTTP/1.1', '/', '/x'],
    ['GET /<é> HTTP/1.1', '/', '/%3C%C3%A9%3E'],
    ['GET /{{md5("a b")}} HTTP/1.1', '/', '/0cc9cd4dd26c5137b675a0d819cb9ab0'],
    ['GET /{{base64("{}")}} HTTP/1.1', '/', '/e30='],
  ])('%s below %s is %s', (source, basePath, path) => {
    expect(written(source, basePath)?.path).toBe(path)
  })

  it('is unchanged when paths are not merged', () => {
    expect(written('GET /x HTTP/1.1', '/app', { isMerged: false })?.path).toBe('/x')
  })

  it.each([
    'GET http://elsewhere.test/x HTTP/1.1',
    'GET http://{{Hostname}}.elsewhere.test/ HTTP/1.1',
    'GET /{{DN}} HTTP/1.1',
  ])('%s is not sent', (source) => {
    const bare = variablesOf({ ...place, hostname: '127.42.3.5', basePath: '/' })
    const read = readRawText(source)
    if (typeof read === 'string') throw new Error(read)
    const raw = { ...read, isMerged: true, isLenient: false }
    expect(rawRequestOf(raw, '/', (name) => bare.get(name))).toBeNull()
  })
})

describe('a raw request', () => {
  it('preserves header case and has a body with CRLF', () => {
    const source = 'POST /x HTTP/1.1\nHost: {{Hostname}}\nX-aB:  c: d \nContent-Type: text/plain\n\none\ntwo\n'
    expect(written(source)).toEqual({
      method: 'POST',
      path: '/x',
      headers: { Host: 'lab.test:8080', 'X-aB': 'c: d', 'Content-Type': 'text/plain' },
      body: Buffer.from('one\r\ntwo'),
    })
  })

  it('keeps the last line break of a multipart body', () => {
    const source = 'POST /x HTTP/1.1\nContent-Type: multipart/form-data; boundary=b\n\n--b--\n'
    expect(written(source)?.body).toEqual(Buffer.from('--b--\r\n'))
  })

  it('can contain binary data', () => {
    expect(written('POST / HTTP/1.1\n\né{{hex_decode("ff00")}}')?.body).toEqual(Buffer.from([0xc3, 0xa9, 0xff, 0]))
  })

  it('keeps placeholders without a value if the template allows it', () => {
    expect(written('GET /{{nothing}} HTTP/1.1', '/', { isLenient: true })?.path).toBe('/{{nothing}}')
  })

  it.each([
    ['@timeout: 20s', { deadlineMs: 20_000 }],
    ['@timeout 5s\n@Host: {{Hostname}}', { deadlineMs: 5_000 }],
    ['@timeout: 900s', { deadlineMs: 30_000 }],
    ['@tls-sni: request.host', { sendsHostAsSni: true }],
    ['@tls-sni: interactsh-url', { sni: 'callback' }],
    ['@once', { isOnce: true }],
  ])('parses %j', (lines, expected) => {
    const annotations = { deadlineMs: null, sendsHostAsSni: false, isOnce: false, sni: null, ...expected }
    expect(readRawText(`${lines}\nGET / HTTP/1.1\n`)).toEqual({
      text: 'GET / HTTP/1.1\n',
      annotations,
      needsRawBytes: false,
    })
  })

  it.each([
    ['@Host: https://elsewhere.test:443', 'a hard-coded host'],
    ['@Host: {{Hostname}}:9780', 'a hard-coded host'],
    ['@fancy', '@fancy'],
  ])('rejects %s', (line, feature) => {
    expect(readRawText(`${line}\nGET / HTTP/1.1\n`)).toBe(feature)
  })
})
