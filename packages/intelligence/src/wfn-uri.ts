/** The URI binding of CPE names, `cpe:/a:vendor:product:…` (NISTIR 7695, 6.1). */
import { type Attribute, attributes, type CpeName, nameOf, parseFormattedString } from '#wfn.ts'

const uriAttributes: readonly Attribute[] = ['part', 'vendor', 'product', 'version', 'update', 'edition', 'language']
/** The attributes of a packed edition, `~edition~sw_edition~target_sw~target_hw~other`. */
const packedEditionAttributes: readonly Attribute[] = [
  'edition',
  'softwareEdition',
  'targetSoftware',
  'targetHardware',
  'other',
]

/** Parses a name in either binding; null if it is invalid. */
export function parseCpe(text: string): CpeName | null {
  return text.trim().toLowerCase().startsWith('cpe:/') ? parseUri(text) : parseFormattedString(text)
}

/**
 * Parses a URI binding. Trailing values can be omitted; `%01` and `%02` are the wildcards.
 *
 * @returns null if it is invalid or has a wildcard in the middle of a value
 */
export function parseUri(text: string): CpeName | null {
  const [, body] = /^cpe:\/(.*)$/i.exec(text) ?? []
  if (body === undefined) return null
  const parts = body.toLowerCase().split(':')
  if (parts.length > uriAttributes.length) return null
  const values = new Map(parts.map((part, index) => [uriAttributes[index], part] as const))
  const edition = values.get('edition')
  if (edition?.startsWith('~')) {
    const pieces = edition.slice(1).split('~')
    if (pieces.length !== packedEditionAttributes.length) return null
    packedEditionAttributes.forEach((attribute, index) => values.set(attribute, pieces[index] ?? ''))
  }
  const decoded: Partial<Record<Attribute, string>> = {}
  for (const attribute of attributes) {
    const quoted = decodeValue(values.get(attribute) ?? '')
    if (quoted === null) return null
    decoded[attribute] = quoted
  }
  return nameOf(decoded)
}

/** Formats a name as a URI; the four attributes without a component of their own go into the packed edition. */
export function bindUri(name: CpeName): string {
  const values = uriAttributes.map((attribute) => encodeValue(name[attribute]))
  if (packedEditionAttributes.slice(1).some((attribute) => name[attribute] !== '*')) {
    values[uriAttributes.indexOf('edition')] =
      `~${packedEditionAttributes.map((attribute) => encodeValue(name[attribute])).join('~')}`
  }
  while (values.at(-1) === '') values.pop()
  return `cpe:/${values.join(':')}`
}

function decodeValue(text: string): string | null {
  if (text === '') return '*'
  if (text === '-') return '-'
  const quoted = text.replaceAll(/%([0-9a-f]{2})|[^a-z0-9._-]/g, (whole, hex: string | undefined) => {
    if (hex === '01') return '?'
    if (hex === '02') return '*'
    const code = Number.parseInt(hex ?? '', 16)
    const character = code >= 0x21 && code <= 0x7e ? String.fromCharCode(code) : ''
    if (/[a-z0-9._-]/i.test(character)) return character
    // `~` is the only other character allowed unencoded; anything else makes the value invalid.
    return character ? `\\${character}` : whole === '~' ? '\\~' : '\u0000'
  })
  return quoted.includes('\u0000') ? null : quoted
}

function encodeValue(quoted: string): string {
  if (quoted === '*') return ''
  if (quoted === '-') return '-'
  return quoted.replaceAll(/\\(.)|\?|\*/gu, (whole, character: string | undefined) => {
    if (whole === '?') return '%01'
    if (whole === '*') return '%02'
    if (character === undefined || /[a-z0-9._-]/.test(character)) return character ?? ''
    return `%${character.charCodeAt(0).toString(16)}`
  })
}
