/** Key exchange of IPsec (IKE). */
import { bytes, hex } from '#wire.ts'
import { checkInfo, type NativeCheck, type Proof } from '#native/native-check.ts'

const aggressive = checkInfo({
  id: 'ike-aggressive-mode',
  name: 'IKE aggressive mode with a pre-shared key',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 5.9,
  summary:
    'The VPN gateway accepts IKEv1 aggressive mode with a pre-shared key and sent a hash of the key to an unauthenticated client (CVE-2002-1623).',
  impact:
    'An attacker can try to crack the pre-shared key offline. With the key, the attacker can impersonate the gateway and, unless users also sign in (XAuth), connect to the VPN.',
  remediation: 'Use IKEv2 with certificates, and disable aggressive mode (`aggressive = no` in strongSwan).',
  reference: 'https://www.kb.cert.org/vuls/id/886601',
  tags: 'misconfig ike ipsec vpn disclosure network udp',
  verifiedOn: 'strongswan',
})

const initiator = hex('474c414349530001')
const payloads = { none: 0, keyExchange: 4, identity: 5, hash: 8, nonce: 10 }
const exchangeAt = 18
const aggressiveExchange = 4
/** Diffie-Hellman groups, with the length of their public values in bytes. */
const groups = [
  [2, 128],
  [14, 256],
] as const

/** A payload with its generic header (RFC 2408, section 3.2). */
function payload(next: number, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([next, 0, (body.length + 4) >> 8, (body.length + 4) & 0xff]), body])
}

/** Message 1 of a phase 1 exchange (RFC 2409, section 5). */
function message(exchange: number, first: Buffer): Buffer {
  const head = Buffer.concat([
    initiator,
    Buffer.alloc(8),
    hex('01 10'),
    Buffer.from([exchange]),
    hex('00 00000000 00000000'),
  ])
  head.writeUInt32BE(head.length + first.length, 24)
  return Buffer.concat([head, first])
}

/** AES-128, AES-256, and 3DES with SHA-1, SHA-256, and MD5, each with a pre-shared key. */
function proposal(next: number, group: number): Buffer {
  const ciphers = ['80010007 800e0080', '80010007 800e0100', '80010005']
  const offers = ciphers.flatMap((cipher) => [2, 4, 1].map((digest) => `${cipher} 8002000${digest} 80030001`))
  const transforms = offers.map((offer, index) => {
    const attributes = Buffer.concat([hex(offer), hex('8004'), Buffer.from([0, group]), hex('800b0001 800c7080')])
    return payload(index === offers.length - 1 ? 0 : 3, Buffer.concat([Buffer.from([index + 1, 1, 0, 0]), attributes]))
  })
  const body = Buffer.concat([Buffer.from([1, 1, 0, offers.length]), ...transforms])
  return payload(next, Buffer.concat([hex('00000001 00000001'), payload(0, body)]))
}

/** The first message of main mode, which reveals the vendor IDs of IKEv1 gateways. */
export const ikeMainMode: Buffer = message(2, proposal(payloads.none, 14))

function aggressiveMode(group: number, keyLength: number): Buffer {
  const key = payload(payloads.nonce, Buffer.alloc(keyLength, 0x47))
  const nonce = payload(payloads.identity, Buffer.alloc(20, 0x47))
  // A username, which most gateways look up only after they have sent the hash.
  const identity = payload(payloads.none, Buffer.concat([hex('03 00 0000'), bytes('glacis@glacis.invalid')]))
  return message(aggressiveExchange, Buffer.concat([proposal(payloads.keyExchange, group), key, nonce, identity]))
}

/** Whether this is a response to one of our messages. */
export function isIkeAnswer(response: Buffer): boolean {
  return response.length >= 28 && response.subarray(0, 8).equals(initiator) && (response[17] ?? 0) >> 4 <= 2
}

/** Types of the payloads of an unencrypted message, with their content. */
export function payloadsOf(response: Buffer): readonly (readonly [number, Buffer])[] {
  const found: (readonly [number, Buffer])[] = []
  let type = response[16] ?? 0
  for (let at = 28; type !== payloads.none && at + 4 <= response.length && found.length < 40;) {
    const length = response.readUInt16BE(at + 2)
    if (length < 4) break
    found.push([type, response.subarray(at + 4, at + length)])
    type = response[at] ?? 0
    at += length
  }
  return found
}

export const ike: NativeCheck = {
  checks: [aggressive],
  appliesTo: ({ protocol, transport }) => protocol === 'ike' && transport === 'udp',
  async run({ sendDatagram }) {
    let proof: Proof | null = null
    for (const [group, keyLength] of groups) {
      const response = await sendDatagram(aggressiveMode(group, keyLength), { waitMs: 1000 })
      if (response.kind !== 'answer' || !isIkeAnswer(response.bytes)) continue
      if (response.bytes[exchangeAt] !== aggressiveExchange) continue
      const [, hash] = payloadsOf(response.bytes).find(([type]) => type === payloads.hash) ?? []
      if (!hash || hash.length < 16) continue
      const request = `aggressive mode, group ${group}, pre-shared key`
      proof = { request, answer: `HASH_R: ${hash.length} bytes`, highlights: ['HASH_R'] }
      break
    }
    // Gateways ignore or reject what they don't accept.
    return { [aggressive.id]: proof }
  },
}
