import { describe, expect, it } from 'vitest'
import { parseTemplate } from '#template/parse.ts'

const head = 'id: demo\ninfo:\n  name: Demo\n  severity: high\n'
const block = `http:
  - method: GET
    path: ["{{BaseURL}}/x"]
`
const word = `    matchers:
      - type: word
        words: ["a"]
`

function parse(source: string) {
  return parseTemplate('demo.yaml', source)
}

it('parses the metadata', () => {
  const source = `id: CVE-2024-12345
info:
  name: Demo
  severity: critical
  description: |
    Bad.
  reference:
    - https://a.test
  classification:
    cvss-metrics: CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H
    cvss-score: 9.8
    cve-id: CVE-2024-12345,CVE-2024-12346
  tags: cve, demo
${block}${word}`
  expect(parse(source)).toMatchObject({
    info: {
      id: 'CVE-2024-12345',
      threat: 'CVE-2024-12345',
      severity: 'critical',
      score: 9.8,
      summary: 'Bad.',
      references: ['https://a.test'],
      cves: ['CVE-2024-12345', 'CVE-2024-12346'],
      tags: ['cve', 'demo'],
      quality: 99,
    },
  })
})

it('parses the blocks of each protocol under both names', () => {
  const network = `network:
  - inputs:
      - data: "50494e47"
        type: hex
        read: 10
        name: pong
    host: ["{{Hostname}}", "tls://{{Hostname}}", "{{Host}}:6379"]
    port: 6379,6380
    matchers: [{ type: word, words: ["+PONG"] }]
ssl:
  - address: "{{Host}}:{{Port}}"
    min_version: tls10
    max_version: tls11
    matchers: [{ type: dsl, dsl: ["expired == true"] }]
`
  expect(parse(head + network)).toMatchObject({
    network: [
      {
        ports: [6379, 6380],
        hosts: [
          { tls: false, port: null },
          { tls: true, port: null },
          { tls: false, port: 6379 },
        ],
        inputs: [{ data: '50494e47', isHex: true, readBytesMax: 10, name: 'pong' }],
        readBytesMax: 1024,
      },
    ],
    ssl: [{ minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }],
  })
})

describe('rejects with line and reason', () => {
  it.each<[string, string, string, number]>([
    [
      'a raw request without a request line',
      `${head}http:\n  - raw: ["GET /"]\n${word}`,
      'a nonstandard request line',
      6,
    ],
    [
      'raw and path requests in one block',
      `${head}http:\n  - raw: ["GET / HTTP/1.1"]\n    path: ["{{BaseURL}}"]\n${word}`,
      'invalid',
      6,
    ],
    ['a payload file outside the pack', `${head}${block}    payloads: { a: /etc/passwd }\n${word}`, 'payload files', 8],
    ['a flow that contains JavaScript', `${head}flow: for (;;) http(1)\n${block}${word}`, 'flow', 5],
    ['a list of variables', `${head}variables: { a: [b] }\n${block}${word}`, 'invalid', 5],
    ['code', `${head}code:\n  - engine: [sh]\n    source: id\n`, 'code', 6],
    ['headless', `${head}headless:\n  - steps: []\n`, 'headless', 6],
    ['javascript', `${head}javascript:\n  - code: x\n`, 'javascript', 6],
    ['file', `${head}file:\n  - extensions: [all]\n`, 'file', 6],
    ['workflows', `${head}workflows:\n  - template: a.yaml\n`, 'workflows', 6],
    ['an unknown field', `${head}${block}    fancy: true\n${word}`, 'fancy', 8],
    [
      'an unknown field of a matcher',
      `${head}${block}    matchers:\n      - type: word\n        words: [a]\n        fuzzy: 1\n`,
      'fuzzy',
      11,
    ],
    ['xpath', `${head}${block}    matchers:\n      - type: xpath\n        xpath: ["/a["]\n`, 'xpath', 10],
    [
      'an unknown function',
      `${head}${block}    matchers:\n      - type: dsl\n        dsl: ["jarm('x')"]\n`,
      'the function jarm',
      10,
    ],
    [
      'look-behind',
      `${head}${block}    matchers:\n      - type: regex\n        regex: ["(?<=a)b"]\n`,
      'regular expression',
      10,
    ],
    ['another host', `${head}http:\n  - path: ["https://elsewhere.test/"]\n${word}`, 'a hard-coded host', 6],
    [
      'another host of tcp',
      `${head}tcp:\n  - host: ["10.0.0.1:22"]\n    inputs: [{ data: a }]\n${word}`,
      'a hard-coded host',
      6,
    ],
    ['no matchers', `${head}${block}`, 'no matchers', 6],
    ['no requests to send', head, 'no requests', 1],
    ['an id that is a path', `id: ../../etc\ninfo: { name: a }\n${block}${word}`, 'invalid', 1],
  ])('%s', (_name, source, feature, line) => {
    expect(parse(source)).toMatchObject({ feature, line, reason: expect.stringContaining(`line ${line}: `) })
  })

  it('reports the position of broken YAML once', () => {
    expect(parse('id: [a\nb: c\n')).toMatchObject({
      line: 2,
      reason: 'line 2: Flow sequence in block collection must be sufficiently indented and end with a ]',
    })
  })

  it.each([
    ['broken YAML', 'id: [a\n'],
    [
      'an alias bomb (billion laughs)',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n`,
    ],
    ['ten thousand brackets', `id: ${'['.repeat(10_000)}`],
    ['thirty levels', `id: ${'['.repeat(30)}${']'.repeat(30)}`],
    ['a text', 'hello'],
    ['nothing', ''],
    ['a list', '- a\n- b\n'],
    ['a file of two megabytes', `id: a\n# ${'x'.repeat(2_000_000)}`],
    ['a key that is an object property', `${head}__proto__: { polluted: true }\n${block}${word}`],
  ])('%s', (_name, source) => {
    expect(parse(source)).toMatchObject({ feature: expect.any(String), reason: expect.any(String) })
  })
})
