/** Test certificates encoded directly in DER (RFC 5280), so that tests need no external program. */
import { generateKeyPairSync, sign } from 'node:crypto'

export interface CertificateOptions {
  /** Common name, and the only DNS name unless it is an IP address. Empty: no subject. */
  readonly name: string
  /** Issuer name; default `name`, which makes the certificate self-signed. */
  readonly issuer?: string
  /**
   * Days until expiry; negative if expired. Valid from 30 days before the earlier of then and now.
   */
  readonly days?: number
  /** RSA key length; absent: an elliptic curve key. */
  readonly rsaBits?: number
}

/** A key and certificate as PEM. A different issuer signs with its own key. */
export function certificateFor(options: CertificateOptions): { key: string; cert: string } {
  const { name, issuer = name, days = 30, rsaBits } = options
  const pair = () =>
    rsaBits
      ? generateKeyPairSync('rsa', { modulusLength: rsaBits })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const own = pair()
  const signer = issuer === name ? own : pair()
  const end = Date.now() + days * 86_400_000
  const algorithm = sequence(oid(rsaBits ? [1, 2, 840, 113549, 1, 1, 11] : [1, 2, 840, 10045, 4, 3, 2]))
  const tbs = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.from([1])),
    algorithm,
    commonName(issuer),
    sequence(time(Math.min(Date.now(), end) - 30 * 86_400_000), time(end)),
    commonName(name),
    own.publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(subjectAlternative(name))),
  )
  const signature = sign('sha256', tbs, signer.privateKey)
  const der = sequence(tbs, algorithm, tag(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

function tag(type: number, content: Buffer): Buffer {
  const { length } = content
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([type, ...head]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts))
}

function oid([first = 0, second = 0, ...rest]: readonly number[]): Buffer {
  const bytes = rest.flatMap((arc) => {
    const septets = [arc & 0x7f]
    for (let left = arc >> 7; left > 0; left >>= 7) septets.unshift((left & 0x7f) | 0x80)
    return septets
  })
  return tag(0x06, Buffer.from([first * 40 + second, ...bytes]))
}

function commonName(name: string): Buffer {
  if (name === '') return sequence()
  return sequence(tag(0x31, sequence(oid([2, 5, 4, 3]), tag(0x0c, Buffer.from(name)))))
}

function time(at: number): Buffer {
  return tag(0x18, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')}`))
}

function subjectAlternative(name: string): Buffer {
  const octets = name.split('.').map(Number)
  const isAddress = octets.length === 4 && octets.every((octet) => octet >= 0 && octet < 256)
  const entry = isAddress ? tag(0x87, Buffer.from(octets)) : tag(0x82, Buffer.from(name))
  return sequence(oid([2, 5, 29, 17]), tag(0x04, sequence(entry)))
}
