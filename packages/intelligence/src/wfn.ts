/**
 * Product names: CPE 2.3 (NISTIR 7695). This package uses `CpeName`, which preserves the quoting of
 * the formatted string. The contract's `Wfn` has unquoted values for display.
 */
import type { Wfn } from '@glacis/contract/product'

/** The eleven attributes in the order of the formatted string, with the contract's names. */
export const attributes = [
  'part',
  'vendor',
  'product',
  'version',
  'update',
  'edition',
  'language',
  'softwareEdition',
  'targetSoftware',
  'targetHardware',
  'other',
] as const
/** The name of an attribute. */
export type Attribute = (typeof attributes)[number]

/**
 * A well-formed name. Values are written as in the formatted string, in lower case: `*` is ANY, `-` is
 * NA, and a backslash precedes every character except letters, digits, `.`, `-`, and `_`.
 */
export type CpeName = Readonly<Record<Attribute, string>>

const anyName: CpeName = {
  part: '*',
  vendor: '*',
  product: '*',
  version: '*',
  update: '*',
  edition: '*',
  language: '*',
  softwareEdition: '*',
  targetSoftware: '*',
  targetHardware: '*',
  other: '*',
}

/** Wildcards are allowed only at the ends of a value, and no character is a space or a control (NISTIR 7695, 5.3.2). */
const valuePattern = /^(?:\*|-|\?+|(?:\?+|\*)?(?:[a-z0-9._-]|\\[^a-z0-9\s\p{C}])+(?:\?+|\*)?)$/u

/**
 * Creates a name; missing attributes are ANY.
 *
 * @returns null if the part is not `a`, `o`, or `h`, or a value is invalid
 */
export function nameOf(some: Partial<CpeName>): CpeName | null {
  const name = { ...anyName, ...some }
  if (!/^[aoh]$/.test(name.part)) return null
  if (!attributes.every((attribute) => valuePattern.test(name[attribute]))) return null
  return Object.fromEntries(attributes.map((attribute) => [attribute, minimallyQuoted(name[attribute])])) as CpeName // all attributes
}

/** Without needless backslashes. A quoted hyphen alone differs from NA. */
function minimallyQuoted(value: string): string {
  return value === '\\-' || !value.includes('\\') ? value : value.replaceAll(/(\\[^._-])|\\/gu, '$1')
}

/**
 * Parses a formatted string, `cpe:2.3:a:vendor:product:…`, with all eleven values.
 *
 * @returns null if the text is not a valid formatted string
 */
export function parseFormattedString(text: string): CpeName | null {
  const lower = text.trim().toLowerCase()
  if (!lower.startsWith('cpe:2.3:')) return null
  const values = splitUnquoted(lower.slice('cpe:2.3:'.length))
  if (values.length !== attributes.length) return null
  return nameOf(Object.fromEntries(attributes.map((attribute, index) => [attribute, values[index] ?? ''])))
}

/** Formats a name as a formatted string. */
export function bindFormattedString(name: CpeName): string {
  return `cpe:2.3:${attributes.map((attribute) => name[attribute]).join(':')}`
}

/** Converts a name to the contract's format: unquoted values, empty for ANY, `-` for NA. */
export function toWfn(name: CpeName): Wfn {
  const plain = (attribute: Attribute) => (name[attribute] === '*' ? '' : name[attribute].replaceAll(/\\(.)/gu, '$1'))
  return {
    part: plain('part'),
    vendor: plain('vendor'),
    product: plain('product'),
    version: plain('version'),
    update: plain('update'),
    edition: plain('edition'),
    language: plain('language'),
    softwareEdition: plain('softwareEdition'),
    targetSoftware: plain('targetSoftware'),
    targetHardware: plain('targetHardware'),
    other: plain('other'),
    text: bindFormattedString(name),
  }
}

/**
 * Converts from the contract's format. Ignores `text`, which is for display.
 *
 * @returns null if the part is not `a`, `o`, or `h`
 */
export function fromWfn(wfn: Wfn): CpeName | null {
  return nameOf(Object.fromEntries(attributes.map((attribute) => [attribute, quote(wfn[attribute])])))
}

/** Quotes an unquoted value, in which `*` and empty mean ANY and `-` means NA. */
export function quote(plain: string): string {
  const text = plain.trim().toLowerCase().replaceAll(/\s+/g, '_')
  if (text === '' || text === '*') return '*'
  return text.replaceAll(/[^a-z0-9._-]/gu, '\\$&')
}

/** Removes the quoting of one value; ANY and NA remain `*` and `-`. */
export function unquote(quoted: string): string {
  return quoted.includes('\\') ? quoted.replaceAll(/\\(.)/gu, '$1') : quoted
}

/** Splits at unquoted colons. */
export function splitUnquoted(text: string): string[] {
  const parts: string[] = []
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++
    else if (text[index] === ':') {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}
