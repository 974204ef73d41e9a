import { domainToUnicode } from 'node:url'

/**
 * Scripts in which a label may be shown decoded (UAX #31, recommended); Japanese and Korean combine
 * several.
 */
const scriptPatterns = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Armenian',
  'Georgian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Thai',
  'Lao',
  'Tibetan',
  'Khmer',
  'Ethiopic',
  ['Han', 'Hiragana', 'Katakana'],
  ['Han', 'Hangul'],
].map((scripts) => {
  const letters = [scripts].flat().map((script) => `\\p{scx=${script}}`)
  return new RegExp(`^(?:(?=[\\p{L}\\p{M}])[${letters.join('')}]|[0-9-])+$`, 'u')
})

/**
 * A label that consists only of lower-case letters that look Latin: Cyrillic, Greek, or Armenian
 * (UTS #39, confusables).
 */
const lookalikes = /^(?:[аԁеһіјӏорԛѕсѵԝхуүгьп\d-]+|[αγικνορσυχωητ\d-]+|[հոսօյցզգւ\d-]+)$/u

/**
 * An address with encoded hostname labels (`xn--`, RFC 5891) decoded. A label stays encoded if it
 * mixes scripts, because it could imitate another name (UTS #39, single script), or looks entirely
 * Latin, unless the top-level domain isn't Latin either.
 *
 * @param address normalized: a hostname, a URL, or anything else, which is returned as null
 * @returns null when there is nothing to decode
 */
export function readableAddress(address: string): string | null {
  const [, start = '', name = '', rest = ''] = /^([a-z]+:\/\/)?([^/:]*)(.*)$/s.exec(address) ?? []
  if (!/(^|\.)xn--/.test(name)) return null
  const isForeign = name.split('.').at(-1)?.startsWith('xn--') === true
  const labels = name.split('.').map((label) => readableLabel(label, isForeign))
  const readable = start + labels.join('.') + rest
  return readable === address ? null : readable
}

function readableLabel(label: string, isForeign: boolean): string {
  const text = label.startsWith('xn--') ? domainToUnicode(label) : label
  const isPlain = scriptPatterns.some((writing) => writing.test(text)) && (isForeign || !lookalikes.test(text))
  return isPlain ? text : label
}
