/** Days as people write them here, `18.02.2027`, and as the web writes them, `2027-02-18`. */

/** `2027-02-18` → `18.02.2027`; nothing for nothing. */
export function swissDay(day: string): string {
  return day.split('-').toReversed().join('.')
}

/** `18.2.2027` → `2027-02-18`; undefined for what is no day of the calendar. */
export function readSwissDay(text: string): string | undefined {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})$/.exec(text.trim()) ?? []
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const at = new Date(`${iso}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(iso) ? iso : undefined
}
