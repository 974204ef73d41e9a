/**
 * Functions of the expression language. Text is a byte string. Keys stand without underscores,
 * because the format takes names either way.
 */
import { createHash, type BinaryToTextEncoding } from 'node:crypto'
import { noValue, toNumber, toText, type DslValue } from '#template/dsl-value.ts'
import { murmur3 } from '#template/murmur3.ts'
import { compilePattern } from '#template/regex.ts'
import { satisfies } from '#template/version-constraint.ts'

type DslFunction = (given: readonly DslValue[]) => DslValue

/** Longest text that a function may make, in characters. */
const TEXT_MAX = 4 * 1024 * 1024

/** How many arguments a function takes at least, and what it makes of them, as text. */
const table: Readonly<Record<string, readonly [number, (...given: string[]) => DslValue]>> = {
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
  trim: [2, (text = '', signs = '') => trimLeft(trimRight(text, signs), signs)],
  trimleft: [2, (text = '', signs = '') => trimLeft(text, signs)],
  trimright: [2, (text = '', signs = '') => trimRight(text, signs)],
  trimspace: [1, (text = '') => text.replace(/^[\s\x85\xa0]+|[\s\x85\xa0]+$/g, '')],
  trimprefix: [2, (text = '', part = '') => (text.startsWith(part) ? text.slice(part.length) : text)],
  trimsuffix: [2, (text = '', part = '') => (part && text.endsWith(part) ? text.slice(0, -part.length) : text)],
  concat: [1, (...parts) => bounded(parts.join(''))],
  join: [2, (separator = '', ...parts) => bounded(parts.join(separator))],
  reverse: [1, (text = '') => text.split('').reverse().join('')],
  replace: [3, (text = '', from = '', to = '') => bounded(text.replaceAll(from, () => to))],
  replaceregex: [3, (text = '', pattern = '', to = '') => replacePattern(text, pattern, to)],
  regex: [2, (pattern = '', text = '') => patternOf(pattern).test(text)],
  regexall: [2, (pattern = '', ...texts) => texts.every((text) => patternOf(pattern).test(text))],
  regexany: [2, (pattern = '', ...texts) => texts.some((text) => patternOf(pattern).test(text))],
  md5: [1, (text = '') => digest('md5', text)],
  sha1: [1, (text = '') => digest('sha1', text)],
  sha256: [1, (text = '') => digest('sha256', text)],
  sha512: [1, (text = '') => digest('sha512', text)],
  base64: [1, (text = '') => bytes(text).toString('base64')],
  // Python's encodebytes breaks lines after 76 characters and ends with a line feed.
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
  htmlescape: [1, (text = '') => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)],
  mmh3: [1, (text = '') => String(murmur3(bytes(text)))],
  compareversions: [2, (version = '', ...constraints) => satisfies(version, constraints) ?? noValue()],
  tostring: [1, (text = '') => text],
}

/** Functions that look at values rather than at text. */
const others: Readonly<Record<string, DslFunction>> = {
  len: ([value = '']) => (typeof value === 'object' ? value.length : toText(value).length),
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

/** Every function by its name without underscores, in lower case. */
export const functions: ReadonlyMap<string, DslFunction> = new Map([
  ...Object.entries(others),
  ...Object.entries(table).map(([name, [least, make]]): [string, DslFunction] => [
    name,
    (given) => (given.length < least ? noValue() : make(...texts(given))),
  ]),
])

/** Lists are taken apart, so that `contains_any(body, list)` reads each member. */
function texts(given: readonly DslValue[]): string[] {
  return given.flatMap((value) => (typeof value === 'object' ? value.map(toText) : [toText(value)]))
}

/** ASCII only: anything else would take the bytes of UTF-8 apart. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (run) => run.toLowerCase())
}

function lines(text: string): string[] {
  return text.split('\n')
}

function trimLeft(text: string, signs: string): string {
  let at = 0
  while (at < text.length && signs.includes(text.charAt(at))) at++
  return text.slice(at)
}

function trimRight(text: string, signs: string): string {
  let end = text.length
  while (end > 0 && signs.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

function replacePattern(text: string, source: string, to: string): string {
  let result = text
  for (const [whole = ''] of patternOf(source).matches(text)) {
    if (whole !== '') result = bounded(result.replace(whole, () => to))
  }
  return result
}

function patternOf(source: string) {
  // The pattern is a byte string here and is turned into one again when it is compiled.
  return compilePattern(bytes(source).toString('utf8')) ?? noValue()
}

function digest(algorithm: string, text: string, encoding: BinaryToTextEncoding = 'hex'): string {
  return createHash(algorithm).update(bytes(text)).digest(encoding)
}

function urlEncode(text: string): string {
  return text.replace(/[^\w.~-]/g, (sign) =>
    sign === ' ' ? '+' : `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
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

function bounded(text: string): string {
  return text.length <= TEXT_MAX ? text : noValue()
}
