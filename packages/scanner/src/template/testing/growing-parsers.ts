/** Parsers of what targets send, each with an input that makes naive ones slow. */
import { identifyBanner } from '#fingerprint/banner.ts'
import { debugSignsIn } from '#native/web/debug-pages.ts'
import { reportedCertificate } from '#fingerprint/certificate.ts'
import { compileFingerprints } from '#fingerprint/match.ts'
import { parseRecog } from '#fingerprint/recog.ts'
import { scriptExcerpt, scriptPaths } from '#fingerprint/script.ts'
import { readWeb } from '#fingerprint/web.ts'
import { nameSoftware } from '#fingerprint/wfn.ts'
import { readBody } from '#net/http-body.ts'
import type { HttpResponse } from '#net/http-message.ts'
import { createJar } from '#net/cookie-jar.ts'
import { functions } from '#template/dsl-functions.ts'
import { NoValue } from '#template/dsl-value.ts'
import { maskSecrets } from '#template/evidence.ts'
import { extract } from '#template/extractor.ts'
import { parseJq } from '#template/jq.ts'
import { follow } from '#template/redirects.ts'
import { compilePattern } from '#template/regex.ts'
import { responseParts } from '#template/response-parts.ts'
import { parseXPath } from '#template/xpath.ts'

export interface GrowingParser {
  readonly name: string
  /** Size of the smallest input, in thousands of characters or so. */
  readonly units: number
  readonly make: (units: number) => string
  readonly run: (text: string) => unknown
}

const origin = { address: '127.0.0.1', port: 80, tls: false, hostname: 'localhost' }

function responseOf(body: string, headers: readonly (readonly [string, string])[] = []): HttpResponse {
  return {
    kind: 'response',
    status: 200,
    statusText: 'OK',
    headers,
    body: Buffer.from(body, 'latin1'),
    truncated: false,
    durationMs: 1,
    request: 'GET / HTTP/1.1',
  }
}

const partsOf = (response: HttpResponse) =>
  responseParts({ origin, path: '/', request: { method: 'GET', path: '/' }, response }, () => undefined)

/** Runs a DSL function on the text. */
function dsl(name: string, units: number, pattern: string, ...more: readonly string[]): GrowingParser {
  const call = functions.get(name)
  if (!call) throw new Error(`no function ${name}`)
  return { name: `dsl ${name}`, units, make: repeated(pattern), run: (text) => valueOf(() => call([text, ...more])) }
}

function valueOf(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    if (error instanceof NoValue) return undefined
    throw error
  }
}

function repeated(pattern: string, prefix = '', suffix = ''): GrowingParser['make'] {
  return (units) => `${prefix}${pattern.repeat(Math.ceil((units * 1000) / pattern.length))}${suffix}`
}

function xpath(source: string, make: GrowingParser['make']): GrowingParser {
  const path = parseXPath(source)
  return { name: `xpath ${source}`, units: 16, make, run: (text) => path?.read(text, '') }
}

function json(source: string, make: GrowingParser['make']): GrowingParser {
  const query = parseJq(source)
  if (!query) throw new Error(`invalid query ${source}`)
  const extractor = { type: 'json' as const, name: '', part: '', isInternal: false, queries: [query] }
  return {
    name: `json ${source}`,
    units: 50,
    make,
    run: (text) => extract(extractor, { defaultPart: 'body', get: () => text }),
  }
}

function regex(source: string, make: GrowingParser['make']): GrowingParser {
  const pattern = compilePattern(source)
  return { name: `regex ${source}`, units: 20, make, run: (text) => pattern?.matches(text) }
}

function webPage(name: string, pattern: string): GrowingParser {
  const { signal } = new AbortController()
  return {
    name: `html ${name}`,
    // The reader stops after 64 KB.
    units: 8,
    make: repeated(pattern),
    run: (text) =>
      readWeb(origin, {
        http: { request: async () => responseOf(text), usesHttp2: () => false, close: async () => undefined },
        shared: { request: async () => responseOf(text) },
        signal,
        paths: [],
      }),
  }
}

const cookies = (text: string) => {
  const jar = createJar()
  for (const line of text.match(/[^\n]{1,4000}/g) ?? []) jar.storeCookies('/', responseOf('', [['Set-Cookie', line]]))
  return jar.addCookies({ method: 'GET', path: '/' })
}

const recog = parseRecog(
  `<fingerprints matches="http.body" protocol="http">${['a+b', '(a|aa)+c', 'x[^y]*y', '(?:a{1,50}){1,20}d']
    .map((pattern) => `<fingerprint pattern="${pattern}"><description>x</description></fingerprint>`)
    .join('')}</fingerprints>`,
  'hostile.xml',
)
const fingerprints = compileFingerprints([recog])

const numbers = (units: number) => JSON.stringify(Array.from({ length: units * 100 }, (_, index) => index))
const objects = (units: number) => JSON.stringify(Array.from({ length: units * 20 }, () => ({ a: { b: ['x'] } })))

export const growingParsers: readonly GrowingParser[] = [
  xpath('//input[@name="csrf"]/@value', repeated('<input a=1>', '<body>', '</body>')),
  xpath('//b[contains(text(), "x")]', repeated('<b>y</b>', '<body>', '</body>')),
  xpath('string(//b | //i)', repeated('<b/><i/>', '<body>', '</body>')),
  xpath('//title', repeated('<', '<title>')),
  xpath('//title', repeated('<!--', '<title>')),
  json('.[] | select(. == "x")', numbers),
  json('.[].a.b[0]', objects),
  json('.[] | .a | .b', objects),
  json('.a', (units) => JSON.stringify({ a: 'b'.repeat(units * 1000) })),
  json('.a', (units) => '['.repeat(units * 1000)),
  regex('(a+)+[bc]', repeated('a')),
  regex('(?i)(x+x+)+y', repeated('x')),
  ...['trimleft', 'trimright', 'trim'].map((name) => dsl(name, 200, ' .', ' .')),
  dsl('trimspace', 200, ' \t'),
  { ...dsl('trimspace', 200, ' '), name: 'dsl trimspace, blanks inside', make: repeated(' ', 'a', 'b') },
  dsl('trimprefix', 200, 'ab', 'a'),
  dsl('trimsuffix', 200, 'ab', 'b'),
  dsl('htmlunescape', 100, '&#'),
  dsl('htmlescape', 20, '<>'),
  dsl('urldecode', 100, '%4'),
  dsl('urlencode', 20, '<>'),
  dsl('base64decode', 100, 'ab=='),
  dsl('tolower', 100, 'AbCd'),
  dsl('split', 50, 'a,', ','),
  dsl('replace', 50, 'ab', 'a', 'cc'),
  dsl('replaceregex', 10, 'ab', 'a', 'c'),
  dsl('removebadchars', 20, 'ab', 'a'),
  dsl('jsonminify', 50, '[1,'),
  dsl('compareversions', 50, '1.', '> 1.0'),
  {
    name: 'kval extractor, many headers',
    units: 20,
    make: repeated('a-b-c: d\n'),
    run: (text) => {
      const headers = text.split('\n').map((line, index): [string, string] => [`x-${index % 50}`, line])
      const extractor = { type: 'kval' as const, name: '', part: '', isInternal: false, keys: ['x_1', 'server'] }
      return extract(extractor, partsOf(responseOf('', headers)))
    },
  },
  {
    name: 'charset, GB 18030',
    units: 100,
    make: repeated('\x81\x30\x81'),
    run: (text) => partsOf(responseOf(text, [['Content-Type', 'text/html; charset=gbk']])).get('body'),
  },
  webPage('titles', '<title '),
  webPage('generators', '<meta name=generator '),
  webPage('icons', '<link rel='),
  webPage('scripts', '<script src'),
  { name: 'script excerpt', units: 100, make: repeated('"1.2.3"'), run: (text) => scriptExcerpt(Buffer.from(text)) },
  {
    name: 'debug pages',
    units: 10,
    make: repeated('<b>Fatal error</b>: Uncaught in a "stack":"at Error '),
    run: (text) => debugSignsIn({ status: 500, headers: [], body: text }),
  },
  { name: 'script paths', units: 50, make: repeated('<script '), run: (text) => scriptPaths(text, origin) },
  { name: 'secret masking, names', units: 20, make: repeated('password='), run: maskSecrets },
  { name: 'secret masking, tokens', units: 20, make: repeated('eyJabcdefghij.'), run: maskSecrets },
  { name: 'cookie jar, blanks', units: 20, make: repeated(' \t'), run: cookies },
  { name: 'cookie jar, attributes', units: 20, make: repeated('a=b; path= ;; max-age=\n'), run: cookies },
  {
    name: 'redirects',
    units: 20,
    make: repeated('/..;%2e#?'),
    run: (text) =>
      follow(
        { request: async () => ({ ...responseOf(''), status: 302, headers: [['Location', text]] }) },
        origin,
        { method: 'GET', path: '/' },
        { policy: 'target', redirectsMax: 3, signal: new AbortController().signal },
      ),
  },
  {
    name: 'TLS names',
    units: 50,
    make: repeated('*.\u0430.example,'),
    run: (text) =>
      reportedCertificate({
        subject: text,
        issuer: text,
        validFrom: '',
        validTo: '',
        names: text.split(','),
        selfSigned: true,
        fingerprint: '',
        keyBits: 2048,
        keyType: 'rsa',
        chainLength: 1,
      }),
  },
  { name: 'banner, FTP', units: 100, make: repeated('220-x ', '220-'), run: (text) => identifyBanner(text, 21) },
  { name: 'banner, IMAP', units: 100, make: repeated('[', '* OK ['), run: (text) => identifyBanner(text, 143) },
  { name: 'banner, unknown', units: 100, make: repeated('\0\n:x '), run: (text) => identifyBanner(text, 9) },
  {
    name: 'version and product names',
    units: 50,
    make: repeated('1.-x '),
    run: (text) => nameSoftware({ vendor: text, product: text }, text),
  },
  { name: 'fingerprints', units: 8, make: repeated('aaxacad'), run: (text) => fingerprints.match('http.body', text) },
  {
    name: 'body in small chunks',
    units: 50,
    make: repeated('abcdefgh'),
    run: (text) =>
      new Promise((resolve) => {
        const reader = readBody('', 4 * 1024 * 1024, resolve, () => undefined)
        for (let at = 0; at < text.length; at += 5) reader.write(Buffer.from(text.slice(at, at + 5)))
        reader.end()
      }),
  },
]
