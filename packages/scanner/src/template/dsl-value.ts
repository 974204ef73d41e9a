/** Values of the expression language. Text is a byte string (one character per byte). */
export type DslValue = string | number | boolean | readonly DslValue[]

/** Answers with the value of a name, or undefined when there is none. */
export type Lookup = (name: string) => DslValue | undefined

/** Thrown by functions and operators that have no value for what they were given. */
export class NoValue extends Error {}

/** @throws NoValue always */
export function noValue(): never {
  throw new NoValue()
}

/** A value as text, the way the format prints it; lists in brackets. */
export function toText(value: DslValue): string {
  return typeof value === 'object' ? `[${value.map(toText).join(' ')}]` : String(value)
}

/** @throws NoValue for what is no number */
export function toNumber(value: DslValue): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && !Number.isNaN(number) ? number : noValue()
}

/** A text as a byte string: the bytes of its UTF-8, one character each. */
export function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
