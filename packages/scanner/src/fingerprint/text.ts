/** Turns what strangers sent into text that can be kept and shown. */

/**
 * Printable text of at most so many characters: control characters and those that turn the writing
 * direction become `\xNN` or `\uNNNN`, line ends and tabs stay.
 */
export function printable(text: string, lengthMax: number): string {
  return text
    .slice(0, lengthMax)
    .toWellFormed()
    .replace(/[^\P{C}\n\r\t]/gu, escaped)
    .slice(0, lengthMax)
    .toWellFormed()
}

function escaped(char: string): string {
  const code = char.codePointAt(0) ?? 0
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/** Bytes as text without losing one: Latin-1, made printable. */
export function printableBytes(bytes: Uint8Array, lengthMax: number): string {
  return printable(Buffer.from(bytes.subarray(0, lengthMax)).toString('latin1'), lengthMax)
}

/** One line of text: runs of blanks become one blank. */
export function oneLine(text: string, lengthMax: number): string {
  return printable(text.replaceAll(/\s+/g, ' ').trim(), lengthMax)
}
