/** Makes untrusted text safe to store and display. */

/**
 * Printable text of limited length: control characters and bidirectional overrides become `\xNN` or
 * `\uNNNN`; line breaks and tabs are kept.
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

/** Bytes as printable Latin-1 text, so that no byte is lost. */
export function printableBytes(bytes: Uint8Array, lengthMax: number): string {
  return printable(Buffer.from(bytes.subarray(0, lengthMax)).toString('latin1'), lengthMax)
}

/** Text on one line, with whitespace collapsed. */
export function oneLine(text: string, lengthMax: number): string {
  return printable(text.replaceAll(/\s+/g, ' ').trim(), lengthMax)
}
