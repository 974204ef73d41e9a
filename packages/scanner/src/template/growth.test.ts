import { expect, it } from 'vitest'
import { scriptExcerpt, scriptPaths } from '#fingerprint/script.ts'
import { functions } from '#template/dsl-functions.ts'
import { maskSecrets } from '#template/evidence.ts'
import { extract } from '#template/extractor.ts'
import { parseJq } from '#template/jq.ts'
import { compilePattern } from '#template/regex.ts'
import { parseXPath } from '#template/xpath.ts'

const dsl = (name: string) => (text: string) => functions.get(name)?.([text])
const xpath = parseXPath('//input[@name="csrf"]/@value')
const jq = parseJq('.[] | select(. == "x")')
const regex = compilePattern('(a+)+[bc]')

const origin = { address: '127.0.0.1', port: 80, tls: false, hostname: 'localhost' }
const jsonQuery = parseJq('.a')
const readJson = (text: string) =>
  jsonQuery &&
  extract(
    { type: 'json', name: '', part: '', isInternal: false, queries: [jsonQuery] },
    { defaultPart: 'body', get: () => text },
  )

/** Each runs on text of the given size in thousands of units. */
const parsers: readonly (readonly [string, number, (size: number) => string, (text: string) => unknown])[] = [
  ['xpath', 2, (size) => `<body>${'<input a=1>'.repeat(size * 1000)}</body>`, (text) => xpath?.read(text, '')],
  ['jq', 1, (size) => JSON.stringify(Array.from({ length: size * 1000 }, () => 'y')), (text) => jq?.(JSON.parse(text))],
  ['trim_space', 100, (size) => `a${' '.repeat(size * 1000)}b`, dsl('trimspace')],
  ['html_unescape', 100, (size) => '&#'.repeat(size * 500), dsl('htmlunescape')],
  ['url_decode', 100, (size) => '%4'.repeat(size * 500), dsl('urldecode')],
  ['trim', 100, (size) => ' .'.repeat(size * 500), (text) => functions.get('trim')?.([text, ' .'])],
  [
    'remove_bad_chars',
    20,
    (size) => 'ab'.repeat(size * 500),
    (text) => functions.get('removebadchars')?.([text, text]),
  ],
  ['replace_regex', 5, (size) => 'ab'.repeat(size * 500), (text) => functions.get('replaceregex')?.([text, 'a', 'c'])],
  ['split', 100, (size) => 'a,'.repeat(size * 500), (text) => functions.get('split')?.([text, ','])],
  ['json extractor', 50, (size) => JSON.stringify({ a: 'b'.repeat(size * 1000) }), readJson],
  ['script excerpt', 100, (size) => '"1.2.3"'.repeat(size * 140), (text) => scriptExcerpt(Buffer.from(text))],
  ['script paths', 50, (size) => '<script '.repeat(size * 125), (text) => scriptPaths(text, origin)],
  ['secret masking', 20, (size) => 'password='.repeat(size * 110), maskSecrets],
  ['regex', 20, (size) => 'a'.repeat(size * 1000), (text) => regex?.test(text)],
]

it.each(parsers)('%s takes time linear in its input', (name, unit, make, run) => {
  const [small, large] = [make(unit), make(unit * 8)]
  median(() => run(small))
  const [smallMs, largeMs] = [median(() => run(small)), median(() => run(large))]
  const growth = largeMs / Math.max(smallMs, 0.5)
  // Quadratic time grows 64-fold. The margin covers a busy machine.
  expect(growth).toBeLessThan(32)
})

function median(run: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now()
    run()
    return performance.now() - start
  })
  return times.toSorted((left, right) => left - right)[2] ?? 0
}
