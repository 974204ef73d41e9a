/** STUN and TURN servers answer this request without authentication (RFC 8489, section 5). */

const magic = 0x2112a442
const software = 0x8022

/** A binding request without attributes. */
export const bindingRequest: Buffer = Buffer.from('000100002112a442676c61636973676c61636973', 'hex')

/** Whether this is a binding response, success or error. */
export function isBindingAnswer(response: Buffer): boolean {
  return (
    response.length >= 20 && [0x0101, 0x0111].includes(response.readUInt16BE(0)) && response.readUInt32BE(4) === magic
  )
}

/** The SOFTWARE attribute; empty when absent. */
export function softwareOf(response: Buffer): string {
  for (let at = 20; at + 4 <= response.length;) {
    const length = response.readUInt16BE(at + 2)
    const value = response.toString('latin1', at + 4, at + 4 + length)
    if (response.readUInt16BE(at) === software) return value
    // Attributes are padded to four bytes.
    at += 4 + Math.ceil(length / 4) * 4
  }
  return ''
}
