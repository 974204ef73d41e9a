/** The negotiation of the Remote Desktop Protocol before anything else (MS-RDPBCGR 2.2.1.1 and 2.2.1.2). */
import { hex } from '#native/native.ts'

/** What protects a connection; the client asks for several at once, the server chooses one. */
export const security = { rdp: 0, tls: 1, credSsp: 2, credSspEx: 8 } as const

/** The server's choice or its refusal; a server that negotiates nothing knows the oldest protection alone. */
export type RdpChoice =
  | { readonly kind: 'chosen'; readonly protocol: number }
  | { readonly kind: 'refused'; readonly code: number }

const names: Readonly<Record<number, string>> = {
  [security.rdp]: 'standard RDP security',
  [security.tls]: 'TLS',
  [security.credSsp]: 'CredSSP (network level authentication)',
  [security.credSspEx]: 'CredSSP (network level authentication), extended',
}
const refusals: Readonly<Record<number, string>> = {
  1: 'TLS is required',
  2: 'TLS is not allowed',
  3: 'there is no certificate',
  4: 'the flags are inconsistent',
  5: 'network level authentication is required',
  6: 'TLS with a certificate of the client is required',
}

/** X.224 connection request that asks for these protocols, added up. */
export function connectionRequest(protocols: number): Buffer {
  const request = hex('03000013 0ee00000000000 01000800 00000000')
  request.writeUInt32LE(protocols, 15)
  return request
}

/** Whether a whole packet (TPKT, RFC 2126) was received. */
export function isPacket(heard: Buffer): boolean {
  return heard.length >= 4 && heard.length >= heard.readUInt16BE(2)
}

/** Reads the connection confirm; undefined when it is none. */
export function readConfirm(heard: Buffer): RdpChoice | undefined {
  if (heard.length < 11 || heard[0] !== 3 || heard[5] !== 0xd0) return undefined
  const kind = heard[11]
  if (kind === undefined) return { kind: 'chosen', protocol: security.rdp }
  if (heard.length < 19) return undefined
  const value = heard.readUInt32LE(15)
  if (kind === 2) return { kind: 'chosen', protocol: value }
  return kind === 3 ? { kind: 'refused', code: value } : undefined
}

export function describeChoice(choice: RdpChoice): string {
  return choice.kind === 'chosen'
    ? (names[choice.protocol] ?? `protocol ${choice.protocol}`)
    : `refused: ${refusals[choice.code] ?? `code ${choice.code}`}`
}
