/** Generates a text that matches an RE2 regular expression. */

interface Reader {
  readonly source: string
  at: number
  ignoresCase: boolean
}

/** @returns null for unsupported syntax */
export function sampleOf(source: string): string | null {
  const reader: Reader = { source, at: 0, ignoresCase: false }
  try {
    const text = alternatives(reader)
    return reader.at === source.length && fits(source, text) ? text : null
  } catch (error) {
    if (error instanceof Unwritable) return null
    throw error
  }
}

/** Word boundaries depend on the context, so JavaScript's regex engine verifies the result. */
function fits(source: string, text: string): boolean {
  const [flags = '', names = ''] = /^\(\?([imsU]+)\)/.exec(source) ?? []
  try {
    return new RegExp(source.slice(flags.length).replaceAll('(?P<', '(?<'), names.replace('U', '')).test(text)
  } catch (error) {
    if (error instanceof SyntaxError) return true
    throw error
  }
}

class Unwritable extends Error {}

/** The first alternative suffices. */
function alternatives(reader: Reader): string {
  const first = sequence(reader)
  while (take(reader, '|')) sequence(reader)
  return first
}

function sequence(reader: Reader): string {
  let text = ''
  while (reader.at < reader.source.length && !'|)'.includes(reader.source.charAt(reader.at))) {
    const piece = atom(reader)
    // Optional spaces are omitted: a header has none before its colon.
    const mayMiss = piece === ' ' && /[*?]/.test(reader.source.charAt(reader.at))
    text += piece.repeat(timesOf(reader) * Number(!mayMiss))
  }
  return text
}

/** The fewest repetitions, but at least one if allowed, so that extracted values aren't empty. */
function timesOf(reader: Reader): number {
  const [whole = '', least] = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(reader.source.slice(reader.at)) ?? []
  reader.at += whole.length
  return least === undefined ? 1 : Math.min(Number(least), 200)
}

function atom(reader: Reader): string {
  const sign = reader.source.charAt(reader.at++)
  if (sign === '(') return group(reader)
  if (sign === '[') return member(reader)
  if (sign === '\\') return escaped(reader)
  if (sign === '^' || sign === '$') return ''
  return sign === '.' ? 'a' : sign
}

function group(reader: Reader): string {
  const [flags = ''] = /^\?(?:P?<\w+>|[imsU-]*:?)/.exec(reader.source.slice(reader.at)) ?? []
  reader.at += flags.length
  if (/^\?[msU]*i/.test(flags)) reader.ignoresCase = true
  if (/^\?[imsU-]+$/.test(flags) && take(reader, ')')) return ''
  const inner = alternatives(reader)
  if (!take(reader, ')')) throw new Unwritable()
  return inner
}

const classes: Readonly<Record<string, string>> = {
  d: '1',
  w: 'a',
  s: ' ',
  D: 'a',
  W: ' ',
  S: 'a',
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
}

function escaped(reader: Reader): string {
  const sign = reader.source.charAt(reader.at++)
  if (/[bBAzZ]/.test(sign)) return ''
  if (sign === 'x') {
    const [whole = '', long, short] = /^(?:\{([\da-f]+)\}|([\da-f]{2}))/i.exec(reader.source.slice(reader.at)) ?? []
    reader.at += whole.length
    return String.fromCharCode(parseInt(long ?? short ?? '', 16))
  }
  if (/[pPQC\d]/.test(sign)) throw new Unwritable()
  return classes[sign] ?? sign
}

/** Any character of a class, found by testing candidates against the class. */
function member(reader: Reader): string {
  const start = reader.at - 1
  if (reader.source.charAt(reader.at) === '^') reader.at++
  if (reader.source.charAt(reader.at) === ']') reader.at++
  while (reader.at < reader.source.length && reader.source.charAt(reader.at) !== ']') {
    const named = /^\[:\w+:\]/.exec(reader.source.slice(reader.at))
    if (named) throw new Unwritable()
    reader.at += reader.source.charAt(reader.at) === '\\' ? 2 : 1
  }
  reader.at++
  const written = reader.source.slice(start, reader.at)
  const fits = new RegExp(
    `^${written.replace(/^\[(\^?)\]/, '[$1\\]').replaceAll(/(?<!\\)\[(?!\^)(?<=.\[)/g, '\\[')}$`,
    reader.ignoresCase ? 'i' : '',
  )
  const character = ['a', '1', 'A', 'f', ' ', '-', '_', '.', '/', '"', "'", '<', '>', '=', ':', '\n'].find((sign) =>
    fits.test(sign),
  )
  const any =
    character ?? Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).find((sign) => fits.test(sign))
  if (any === undefined) throw new Unwritable()
  return any
}

function take(reader: Reader, sign: string): boolean {
  if (reader.source.charAt(reader.at) !== sign) return false
  reader.at++
  return true
}
