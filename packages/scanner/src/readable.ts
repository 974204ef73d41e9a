import { domainToUnicode } from 'node:url'

/** Scripts in which a label may be written whole (UAX #31, recommended); Japanese and Korean are written in several. */
const writings = [
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

/** A label of nothing but small letters that are drawn as Latin ones are: Cyrillic, Greek or Armenian (UTS #39, confusables). */
const lookalikes = /^(?:[аԁеһіјӏорԛѕсѵԝхуүгьп\d-]+|[αγικνορσυχωητ\d-]+|[հոսօյցզգւ\d-]+)$/u

/**
 * An address as its owner writes it: labels of its host name that are encoded (`xn--`, RFC 5891) in their own script.
 * A label of several scripts stays encoded, because it can look like another name (UTS #39, single script), and so does
 * one that looks Latin whole, unless the top-level domain is of another script, too.
 *
 * @param address as it was normalised: a host name, a URL, or anything else, which is nothing to decode
 * @returns null where it reads as it is
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
  const isPlain = writings.some((writing) => writing.test(text)) && (isForeign || !lookalikes.test(text))
  return isPlain ? text : label
}
