/** Time zones by their IANA names. */

const names = /^(UTC|[A-Z][A-Za-z_]+(\/[A-Z][\w+-]*){1,2})$/

/**
 * Whether a text is the name of a time zone. Offsets such as `+01:00` and abbreviations such as `EST` are not: they have
 * no daylight saving time, and the runtime and the database interpret some of them differently.
 */
export function isTimeZone(text: string): boolean {
  if (!names.test(text)) return false
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: text }))
  } catch {
    return false
  }
}

/** The error message for a text that isn't a time zone. */
export function timeZoneError(text: string): string {
  return `'${text}' is not a time zone. Use an IANA name such as Europe/Zurich`
}
