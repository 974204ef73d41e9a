/** Text for the standard PDF fonts, which only support Windows-1252. */
import { placeOnPort, readLocation } from '@glacis/contract/location'

/** Characters of Windows-1252 above Latin-1. */
const extra = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ'
const transliterations: Readonly<Record<string, string>> = {
  '≥': '>=',
  '≤': '<=',
  '≠': '!=',
  '→': '->',
  '←': '<-',
  '−': '-',
  '×': 'x',
  '√': 'sqrt',
  '\u2010': '-',
  '\u2011': '-',
  '\u202f': ' ',
  '\u2009': ' ',
  '\u00a0': ' ',
}

/**
 * Makes text printable: removes control, bidirectional, and zero-width characters, replaces tabs
 * with spaces, and transliterates unsupported characters or shows them as `?`. Keeps line breaks.
 */
export function printable(text: string): string {
  return (
    text
      .normalize('NFC')
      .replaceAll(/\r\n?/g, '\n')
      .replaceAll('\t', '  ')
      // Terminal escape sequences, then all other control characters.
      .replaceAll(/(?!\n)\p{Cc}\[[\d;]{0,20}[A-Za-z]/gu, '')
      .replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
      .replaceAll(/[^\n\u0020-\u007e\u00a1-\u00ff]/gu, (character) => {
        return transliterations[character] ?? (extra.includes(character) ? character : '?')
      })
  )
}

/** One line of printable text, truncated to a length in characters. */
export function truncatedLine(text: string, lengthMax: number): string {
  const flat = printable(text).replaceAll(/\s+/g, ' ').trim()
  return flat.length <= lengthMax ? flat : `${flat.slice(0, lengthMax - 1).trimEnd()}…`
}

/**
 * Printable text, truncated to a number of lines and characters, with a note about the omitted
 * rest.
 */
export function excerpt(text: string, linesMax: number, lengthMax: number): string {
  const all = printable(text).trim()
  const lines = all.slice(0, lengthMax).split('\n')
  const shown = lines.slice(0, linesMax).map((item) => item.trimEnd())
  const isCut = all.length > lengthMax || lines.length > linesMax
  return shown.join('\n') + (isCut ? '\n…' : '')
}

/** Puts quotation marks around code in place of backticks, because the report has no style for it. */
export function withQuotedCode(text: string): string {
  return text.replaceAll(/`([^`]*)`/g, '“$1”')
}

const dateFormat = new Intl.DateTimeFormat('en-CH', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
const timeFormat = new Intl.DateTimeFormat('en-CH', {
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
  timeZone: 'UTC',
})

/** `20 Nov 2026`; empty for no date. */
export function formatDay(time: string | undefined): string {
  const date = new Date(time ?? '')
  return Number.isNaN(date.getTime()) ? '' : dateFormat.format(date)
}

/** `20 Nov 2026, 22:42 UTC`. */
export function formatTime(time: string | undefined): string {
  const date = new Date(time ?? '')
  return Number.isNaN(date.getTime()) ? '' : `${dateFormat.format(date)}, ${timeFormat.format(date)} UTC`
}

/** `12 minutes`, rounded to a suitable unit; seconds are rounded down, as in the portal. */
export function formatDuration(start: string | undefined, end: string | undefined): string {
  const seconds = Math.floor((Date.parse(end ?? '') - Date.parse(start ?? '')) / 1000)
  if (!(seconds >= 0)) return ''
  if (seconds < 90) return formatCount(seconds, 'second')
  if (seconds < 5400) return formatCount(Math.round(seconds / 60), 'minute')
  return `${(seconds / 3600).toFixed(1)} hours`
}

/** `80/cgi-bin/` → `/cgi-bin/ on port 80`, `443 f5:nginx` → `port 443, f5:nginx`, `53/udp` → `port 53/udp`. */
export function formatLocation(location: string): string {
  const place = readLocation(location)
  if (!place) return location
  const text = placeOnPort(place)
  return place.path === '' ? [`port ${place.port}`, text].filter(Boolean).join(', ') : `${text} on port ${place.port}`
}

/** `1 host`, `3 hosts`, with thousands separators. */
export function formatCount(number: number, item: string, many = `${item}s`): string {
  return `${new Intl.NumberFormat('en-CH').format(number)} ${number === 1 ? item : many}`
}
