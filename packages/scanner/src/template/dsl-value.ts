/** Values of the expression language. Text is a byte string (one character per byte). */
export type DslValue = string | number | boolean | readonly DslValue[]

/** Returns the value of a variable, or undefined when it doesn't exist. */
export type Lookup = (name: string) => DslValue | undefined

/** Thrown when a function or operator has no value for its arguments. */
export class NoValue extends Error {}

/** @throws NoValue always */
export function noValue(): never {
  throw new NoValue()
}

/** A value as text in the format's notation; lists in brackets. */
export function toText(value: DslValue): string {
  return typeof value === 'object' ? `[${value.map(toText).join(' ')}]` : String(value)
}

/** @throws NoValue when the value is not a number */
export function toNumber(value: DslValue): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && !Number.isNaN(number) ? number : noValue()
}

/** Encodes text as a byte string: one character per UTF-8 byte. */
export function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
