/**
 * DSL functions. Text is a byte string. Names are listed without underscores, because templates use
 * both spellings.
 */
import { createHash, createHmac, type BinaryToTextEncoding } from 'node:crypto'
import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { noValue, toBytes, toNumber, toText, type DslValue } from '#template/dsl-value.ts'
import { builders } from '#template/dsl-build.ts'
import { randomFunctions } from '#template/dsl-random.ts'
import { murmur3 } from '#template/murmur3.ts'
import { compilePattern } from '#template/regex.ts'
import { satisfies } from '#template/version-constraint.ts'
import { spend } from '#unit.ts'

type DslFunction = (args: readonly DslValue[]) => DslValue

/** Maximum length of a function's result, in characters. */
const TEXT_MAX = 4 * 1024 * 1024

/** Simple functions read four characters in the time of a step. */
const charactersPerStepShift = 2

/** Whitespace of byte strings, as in Go. */
const BLANKS = '\t\n\v\f\r \x85\xa0'

/** Minimum number of arguments, and the implementation on text arguments. */
const table: Readonly<Record<string, readonly [number, (...args: string[]) => DslValue]>> = {
  contains: [2, (text = '', part = '') => text.includes(part)],
  containsall: [2, (text = '', ...parts) => parts.every((part) => text.includes(part))],
  containsany: [2, (text = '', ...parts) => parts.some((part) => text.includes(part))],
  equalsany: [2, (text = '', ...parts) => parts.includes(text)],
  startswith: [2, (text = '', ...parts) => parts.some((part) => text.startsWith(part))],
  endswith: [2, (text = '', ...parts) => parts.some((part) => text.endsWith(part))],
  linestartswith: [2, (text = '', ...parts) => lines(text).some((line) => parts.some((part) => line.startsWith(part)))],
  lineendswith: [2, (text = '', ...parts) => lines(text).some((line) => parts.some((part) => line.endsWith(part)))],
  tolower: [1, (text = '') => lower(text)],
  toupper: [1, (text = '') => text.replace(/[a-z]+/g, (run) => run.toUpperCase())],
  trim: [2, (text = '', characters = '') => trimLeft(trimRight(text, characters), characters)],
  trimleft: [2, (text = '', characters = '') => trimLeft(text, characters)],
  trimright: [2, (text = '', characters = '') => trimRight(text, characters)],
  trimspace: [1, (text = '') => trimLeft(trimRight(text, BLANKS), BLANKS)],
  trimprefix: [2, (text = '', part = '') => (text.startsWith(part) ? text.slice(part.length) : text)],
  trimsuffix: [2, (text = '', part = '') => (part && text.endsWith(part) ? text.slice(0, -part.length) : text)],
  concat: [1, (...parts) => limitLength(parts.join(''))],
  join: [2, (separator = '', ...parts) => limitLength(parts.join(separator))],
  reverse: [1, (text = '') => text.split('').reverse().join('')],
  replace: [3, (text = '', from = '', to = '') => limitLength(text.replaceAll(from, () => to))],
  replaceregex: [3, (text = '', pattern = '', to = '') => replacePattern(text, pattern, to)],
  regex: [2, (pattern = '', text = '') => patternOf(pattern).test(text)],
  regexall: [2, (pattern = '', ...texts) => texts.every((text) => patternOf(pattern).test(text))],
  regexany: [2, (pattern = '', ...texts) => texts.some((text) => patternOf(pattern).test(text))],
  md5: [1, (text = '') => digest('md5', text)],
  sha1: [1, (text = '') => digest('sha1', text)],
  sha256: [1, (text = '') => digest('sha256', text)],
  sha512: [1, (text = '') => digest('sha512', text)],
  base64: [1, (text = '') => bytes(text).toString('base64')],
  // Like Python's encodebytes: line breaks after 76 characters and at the end.
  base64py: [
    1,
    (text = '') =>
      bytes(text)
        .toString('base64')
        .replace(/.{1,76}/g, '$&\n'),
  ],
  base64decode: [1, (text = '') => Buffer.from(text, 'base64').toString('latin1')],
  hexencode: [1, (text = '') => bytes(text).toString('hex')],
  hexdecode: [
    1,
    (text = '') => (/^([\da-f]{2})*$/i.test(text) ? Buffer.from(text, 'hex').toString('latin1') : noValue()),
  ],
  urlencode: [1, (text = '') => urlEncode(text)],
  urldecode: [1, (text = '') => urlDecode(text)],
  htmlescape: [1, (text = '') => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)],
  mmh3: [1, (text = '') => String(murmur3(bytes(text)))],
  compareversions: [2, (version = '', ...constraints) => satisfies(version, constraints) ?? noValue()],
  tostring: [1, (text = '') => text],
  totitle: [1, (text = '') => text.replace(/(?<![A-Za-z'])[a-z]/g, (letter) => letter.toUpperCase())],
  sha384: [1, (text = '') => digest('sha384', text)],
  hmac: [
    3,
    (algorithm = '', text = '', key = '') =>
      /^(?:md5|sha1|sha256|sha512)$/.test(algorithm)
        ? createHmac(algorithm, bytes(key)).update(bytes(text)).digest('hex')
        : noValue(),
  ],
  htmlunescape: [1, (text = '') => unescapeHtml(text)],
  removebadchars: [
    2,
    (text = '', characters = '') => {
      const removed = new Set(characters)
      return text
        .split('')
        .filter((character) => !removed.has(character))
        .join('')
    },
  ],
  padding: [4, (text = '', pad = '', length = '', side = '') => padded(text, pad, Number(length), side)],
  gzip: [1, (text = '') => gzipSync(bytes(text)).toString('latin1')],
  gzipdecode: [1, (text = '') => decompress(gunzipSync, text)],
  zlib: [1, (text = '') => deflateSync(bytes(text)).toString('latin1')],
  zlibdecode: [1, (text = '') => decompress(inflateSync, text)],
  dectohex: [1, (text = '') => (/^\d{1,1000}$/.test(text) ? BigInt(text).toString(16) : noValue())],
  hextodec: [1, (text = '') => (/^(?:0x)?[\da-f]+$/i.test(text) ? parseInt(text, 16) : noValue())],
  bintodec: [1, (text = '') => (/^(?:0b)?[01]+$/.test(text) ? parseInt(text.replace(/^0b/, ''), 2) : noValue())],
  octtodec: [1, (text = '') => (/^(?:0o)?[0-7]+$/.test(text) ? parseInt(text.replace(/^0o/, ''), 8) : noValue())],
  jsonminify: [1, (text = '') => formatJson(text)],
  jsonprettify: [1, (text = '') => formatJson(text, 4)],
  split: [2, (text = '', separator = '', count = '') => splitText(text, separator, count)],
  xor: [2, (left = '', right = '') => xored(left, right)],
}

/** Functions on values rather than text. */
const others: Readonly<Record<string, DslFunction>> = {
  len: ([value = '']) => (typeof value === 'object' ? value.length : toText(value).length),
  index: ([value = '', place = 0]) => {
    const at = toNumber(place)
    return typeof value === 'object' ? (value[at] ?? noValue()) : toText(value).charAt(at) || noValue()
  },
  sort: ([value = '', ...more]) => {
    if (more.length === 0 && typeof value !== 'object') return toText(value).split('').toSorted().join('')
    return texts([value, ...more]).toSorted()
  },
  uniq: ([value = '', ...more]) => {
    if (more.length === 0 && typeof value !== 'object') return [...new Set(toText(value))].join('')
    return [...new Set(texts([value, ...more]))]
  },
  tonumber: ([value = '']) => toNumber(value),
  repeat: ([text = '', times = 0]) => {
    const count = toNumber(times)
    const once = toText(text)
    return count >= 0 && once.length * count <= TEXT_MAX ? once.repeat(count) : noValue()
  },
  substr: ([text = '', from = 0, to]) => {
    const whole = toText(text)
    const [start, end] = [toNumber(from), to === undefined ? whole.length : toNumber(to)]
    return start >= 0 && end >= start && end <= whole.length ? whole.slice(start, end) : noValue()
  },
}

/** All functions by lower-case name without underscores. */
export const functions: ReadonlyMap<string, DslFunction> = new Map([
  ...Object.entries(others),
  ...randomFunctions,
  ...builders,
  ...Object.entries(table).map(([name, [argumentsMin, make]]): [string, DslFunction] => [
    name,
    (args) => {
      if (args.length < argumentsMin) return noValue()
      const [first = '', ...others] = texts(args)
      // Some functions search the first text for each of the others.
      spend(1 + ((first.length * Math.max(1, others.length)) >> charactersPerStepShift))
      spend(others.reduce((sum, text) => sum + text.length, 0) >> charactersPerStepShift)
      return make(first, ...others)
    },
  ]),
])

/** Flattens lists, so that `contains_any(body, list)` checks each item. */
function texts(args: readonly DslValue[]): string[] {
  return args.flatMap((value) => (typeof value === 'object' ? value.map(toText) : [toText(value)]))
}

/** ASCII only: other characters would break UTF-8 sequences. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (run) => run.toLowerCase())
}

function lines(text: string): string[] {
  return text.split('\n')
}

function trimLeft(text: string, characters: string): string {
  let at = 0
  const trimmed = new Set(characters)
  while (at < text.length && trimmed.has(text.charAt(at))) at++
  return text.slice(at)
}

function trimRight(text: string, characters: string): string {
  let end = text.length
  const trimmed = new Set(characters)
  while (end > 0 && trimmed.has(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

function replacePattern(text: string, source: string, to: string): string {
  return limitLength(patternOf(source).replace(text, to))
}

function patternOf(source: string) {
  // The pattern is a byte string; it is decoded again on compilation.
  return compilePattern(bytes(source).toString('utf8')) ?? noValue()
}

function digest(algorithm: string, text: string, encoding: BinaryToTextEncoding = 'hex'): string {
  return createHash(algorithm).update(bytes(text)).digest(encoding)
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeHtml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return entities[name.toLowerCase()] ?? whole
    const code = typeof decimal === 'string' ? Number(decimal) : parseInt(String(hex), 16)
    return code <= 0x10_ff_ff ? toBytes(String.fromCodePoint(code)) : whole
  })
}

function padded(text: string, pad: string, length: number, side: string): string {
  if (pad === '' || !(length >= 0 && length <= TEXT_MAX)) return noValue()
  return side === 'prefix' ? text.padStart(length, pad) : text.padEnd(length, pad)
}

/** Decompresses data up to a maximum size. */
function decompress(decompressor: typeof gunzipSync, text: string): string {
  try {
    return decompressor(bytes(text), { maxOutputLength: TEXT_MAX }).toString('latin1')
  } catch {
    return noValue()
  }
}

function formatJson(text: string, indent?: number): string {
  try {
    return toBytes(JSON.stringify(JSON.parse(bytes(text).toString('utf8')), null, indent))
  } catch {
    return noValue()
  }
}

function splitText(text: string, separator: string, count: string): readonly string[] {
  const parts = text.split(separator)
  const most = count === '' ? 10_000 : Number(count)
  if (!(most > 0)) return noValue()
  return parts.length <= most ? parts : [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)]
}

function xored(left: string, right: string): string {
  if (left.length !== right.length) return noValue()
  const other = bytes(right)
  return bytes(left)
    .map((byte, at) => byte ^ (other[at] ?? 0))
    .reduce((text, byte) => text + String.fromCharCode(byte), '')
}

function urlEncode(text: string): string {
  return text.replace(/[^\w.~-]/g, (character) =>
    character === ' ' ? '+' : `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

function urlDecode(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}

function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function limitLength(text: string): string {
  return text.length <= TEXT_MAX ? text : noValue()
}
