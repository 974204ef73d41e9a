/**
 * Creates a value when it is first used. For formatters of `Intl`: creating one takes a millisecond, and the first one
 * eight, which would delay the first page.
 */
export function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= create())
}
