/**
 * Removes what PostgreSQL can't store: NUL characters, and lone surrogates, which come from hostile hosts and from
 * truncated strings.
 */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed()
}

export function storableJson(value: object): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? storable(inner) : inner))
}
