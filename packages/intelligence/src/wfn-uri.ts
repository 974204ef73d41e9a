/** The older binding of names, `cpe:/a:vendor:product:…` (NISTIR 7695, 6.1). */
import { type Attribute, attributes, type CpeName, nameOf, parseFormattedString } from '#wfn.ts'

const plain: readonly Attribute[] = ['part', 'vendor', 'product', 'version', 'update', 'edition', 'language']
/** What a packed edition, `~edition~sw_edition~target_sw~target_hw~other`, holds. */
const packed: readonly Attribute[] = ['edition', 'softwareEdition', 'targetSoftware', 'targetHardware', 'other']

/** Reads a name in either binding; null for anything else. */
export function parseCpe(text: string): CpeName | null {
  return text.trim().toLowerCase().startsWith('cpe:/') ? parseUri(text) : parseFormattedString(text)
}

/**
 * Reads a URI binding. Values may be missing at the end; `%01` and `%02` are the wildcards.
 *
 * @returns null when it is not one, or holds a wildcard in the middle of a value
 */
export function parseUri(text: string): CpeName | null {
  const [, body] = /^cpe:\/(.*)$/i.exec(text) ?? []
  if (body === undefined) return null
  const parts = body.toLowerCase().split(':')
  if (parts.length > plain.length) return null
  const values = new Map(parts.map((part, index) => [plain[index], part] as const))
  const edition = values.get('edition')
  if (edition?.startsWith('~')) {
    const pieces = edition.slice(1).split('~')
    if (pieces.length !== packed.length) return null
    packed.forEach((attribute, index) => values.set(attribute, pieces[index] ?? ''))
  }
  const decoded: Partial<Record<Attribute, string>> = {}
  for (const attribute of attributes) {
    const quoted = decode(values.get(attribute) ?? '')
    if (quoted === null) return null
    decoded[attribute] = quoted
  }
  return nameOf(decoded)
}

/** Writes a name as a URI; the four attributes that a URI has no place for go into the packed edition. */
export function bindUri(name: CpeName): string {
  const values = plain.map((attribute) => encode(name[attribute]))
  if (packed.slice(1).some((attribute) => name[attribute] !== '*')) {
    values[plain.indexOf('edition')] = `~${packed.map((attribute) => encode(name[attribute])).join('~')}`
  }
  return `cpe:/${values.join(':').replace(/:+$/, '')}`
}

function decode(text: string): string | null {
  if (text === '') return '*'
  if (text === '-') return '-'
  const quoted = text.replaceAll(/%([0-9a-f]{2})|[^a-z0-9._-]/g, (whole, hex: string | undefined) => {
    if (hex === '01') return '?'
    if (hex === '02') return '*'
    const code = Number.parseInt(hex ?? '', 16)
    const character = code >= 0x21 && code <= 0x7e ? String.fromCharCode(code) : ''
    if (/[a-z0-9._-]/i.test(character)) return character
    // Only `~` may stand in a URI as it is; whatever else is neither coded nor allowed spoils it.
    return character ? `\\${character}` : whole === '~' ? '\\~' : '\u0000'
  })
  return quoted.includes('\u0000') ? null : quoted
}

function encode(quoted: string): string {
  if (quoted === '*') return ''
  if (quoted === '-') return '-'
  return quoted.replaceAll(/\\(.)|\?|\*/g, (whole, character: string | undefined) => {
    if (whole === '?') return '%01'
    if (whole === '*') return '%02'
    if (character === undefined || /[a-z0-9._-]/.test(character)) return character ?? ''
    return `%${character.charCodeAt(0).toString(16)}`
  })
}
