/** Text as PostgreSQL stores it: without NUL, which nothing that is shown needs. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '')
}

/** JSON as PostgreSQL stores it: without NUL and half surrogate pairs, which hostile hosts send. */
export function storableJson(value: object): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'string' ? storable(inner).toWellFormed() : inner,
  )
}
