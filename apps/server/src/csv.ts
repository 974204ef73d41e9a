/**
 * A line of a CSV file (RFC 4180). Prefixes text that starts like a formula with an apostrophe, because spreadsheets would
 * execute it (OWASP, CSV injection).
 */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
