/**
 * Names of products: CPE 2.3 (NISTIR 7695). Inside this package a name is a `CpeName`, which keeps
 * the quoting of the formatted string and so loses nothing; at the border it is the contract's
 * `Wfn`, whose values are plain text for people.
 */
import type { Wfn } from '@glacis/contract/product'

/** The eleven attributes in the order of the formatted string, under the contract's names. */
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
/** The name of one of them. */
export type Attribute = (typeof attributes)[number]

/**
 * A well-formed name. Each value is written as in the formatted string, in lower case: `*` is ANY,
 * `-` is NA, and a backslash stands before whatever is neither letter, digit, `.`, `-` nor `_`.
 */
export type CpeName = Readonly<Record<Attribute, string>>

const anything: CpeName = {
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

/** Wildcards stand at the ends of a value only (NISTIR 7695, 5.3.2). */
const value = /^(?:\*|-|\?+|(?:\?+|\*)?(?:[a-z0-9._-]|\\[^a-z0-9])+(?:\?+|\*)?)$/

/**
 * Fills a name from some of its attributes.
 *
 * @returns null when the part is not `a`, `o` or `h`, or a value breaks the rules for values
 */
export function nameOf(some: Partial<CpeName>): CpeName | null {
  const name = { ...anything, ...some }
  if (!/^[aoh]$/.test(name.part)) return null
  return attributes.every((attribute) => value.test(name[attribute])) ? name : null
}

/**
 * Reads a formatted string, `cpe:2.3:a:vendor:product:…` with all its eleven values.
 *
 * @returns null for anything else
 */
export function parseFormattedString(text: string): CpeName | null {
  const lower = text.trim().toLowerCase()
  if (!lower.startsWith('cpe:2.3:')) return null
  const values = splitUnquoted(lower.slice('cpe:2.3:'.length))
  if (values.length !== attributes.length) return null
  return nameOf(Object.fromEntries(attributes.map((attribute, index) => [attribute, values[index] ?? ''])))
}

/** Writes a name as a formatted string. */
export function bindFormattedString(name: CpeName): string {
  return `cpe:2.3:${attributes.map((attribute) => name[attribute]).join(':')}`
}

/** Turns a name into the contract's shape: plain values, empty for ANY, `-` for NA. */
export function toWfn(name: CpeName): Wfn {
  const plain = (attribute: Attribute) => (name[attribute] === '*' ? '' : name[attribute].replaceAll(/\\(.)/g, '$1'))
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
 * Reads the values of the contract's shape; its `text` is for people and not looked at.
 *
 * @returns null when the part is not `a`, `o` or `h`
 */
export function fromWfn(wfn: Wfn): CpeName | null {
  return nameOf(Object.fromEntries(attributes.map((attribute) => [attribute, quote(wfn[attribute])])))
}

/** Quotes a plain value, in which `*` and empty mean ANY and `-` means NA. */
export function quote(plain: string): string {
  const text = plain.trim().toLowerCase().replaceAll(/\s+/g, '_')
  if (text === '' || text === '*') return '*'
  return text.replaceAll(/[^a-z0-9._-]/g, '\\$&')
}

/** Undoes the quoting of one value; ANY and NA stay `*` and `-`. */
export function unquote(quoted: string): string {
  return quoted.includes('\\') ? quoted.replaceAll(/\\(.)/g, '$1') : quoted
}

/** Splits at colons, except those that a backslash quotes. */
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
