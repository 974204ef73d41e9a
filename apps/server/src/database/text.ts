/**
 * Text as PostgreSQL stores it: without NUL, which nothing that is shown needs, and without half surrogate pairs, which
 * hostile hosts send and cutting makes.
 */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed()
}

export function storableJson(value: object): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? storable(inner) : inner))
}
