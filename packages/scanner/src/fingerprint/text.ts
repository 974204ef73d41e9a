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

const octets = /^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/
/** Networks with numbers that no version starts with. */
const privateNetworks = /^(?:127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168)\./

/** Whether a number at this position is part of an IPv4 address, such as `127.0.5` of `127.0.5.1`, or is a private address. */
export function isInAddress(text: string, start: number, end: number): boolean {
  const before = /[\d.]{0,16}$/.exec(text.slice(Math.max(0, start - 16), start))?.[0] ?? ''
  const after = /^[\d.]{0,16}/.exec(text.slice(end, end + 16))?.[0] ?? ''
  const number = text.slice(start, end)
  const whole = `${before}${number}${after}`.replace(/\.$/, '')
  return octets.test(whole) && (whole !== number || privateNetworks.test(whole))
}
