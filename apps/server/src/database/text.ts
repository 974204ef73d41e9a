/** Text as PostgreSQL stores it: without NUL, which nothing that is shown needs. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '')
}
