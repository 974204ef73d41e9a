/** Negotiation at the start of the Remote Desktop Protocol (MS-RDPBCGR 2.2.1.1 and 2.2.1.2). */
import { hex } from '#wire.ts'

/** Security protocols; the client offers several, the server chooses one. */
export const security = { rdp: 0, tls: 1, credSsp: 2, credSspEx: 8 } as const

/**
 * The server's choice or its failure code; servers without negotiation only support standard RDP
 * security.
 */
export type RdpNegotiationResult =
  | { readonly kind: 'chosen'; readonly protocol: number }
  | { readonly kind: 'refused'; readonly code: number }

const names: Readonly<Record<number, string>> = {
  [security.rdp]: 'standard RDP security',
  [security.tls]: 'TLS',
  [security.credSsp]: 'CredSSP (Network Level Authentication)',
  [security.credSspEx]: 'CredSSP (Network Level Authentication) with Early User Authorization',
}
const failureNames: Readonly<Record<number, string>> = {
  1: 'TLS is required',
  2: 'TLS is not allowed',
  3: 'no server certificate',
  4: 'inconsistent flags',
  5: 'Network Level Authentication is required',
  6: 'TLS with a client certificate is required',
}

/** X.224 connection request with these protocols as a bit mask. */
export function connectionRequest(protocols: number): Buffer {
  const request = hex('03000013 0ee00000000000 01000800 00000000')
  request.writeUInt32LE(protocols, 15)
  return request
}

/** Whether a complete packet (TPKT, RFC 2126) was received. */
export function isPacket(received: Buffer): boolean {
  return received.length >= 4 && received.length >= received.readUInt16BE(2)
}

/** Parses the connection confirm; undefined for anything else. */
export function readConfirm(received: Buffer): RdpNegotiationResult | undefined {
  if (received.length < 11 || received[0] !== 3 || received[5] !== 0xd0) return undefined
  const kind = received[11]
  if (kind === undefined) return { kind: 'chosen', protocol: security.rdp }
  if (received.length < 19) return undefined
  const value = received.readUInt32LE(15)
  if (kind === 2) return { kind: 'chosen', protocol: value }
  return kind === 3 ? { kind: 'refused', code: value } : undefined
}

export function describeChoice(choice: RdpNegotiationResult): string {
  return choice.kind === 'chosen'
    ? (names[choice.protocol] ?? `protocol ${choice.protocol}`)
    : `refused: ${failureNames[choice.code] ?? `code ${choice.code}`}`
}
