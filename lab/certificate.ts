/** Creates X.509 certificates (RFC 5280) with as much DER as the lab needs: one name, self-signed. */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Key and certificate in PEM format. */
export interface SelfSigned {
  readonly key: string
  readonly cert: string
}

const object = {
  sha256WithRsa: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b],
  commonName: [0x55, 0x04, 0x03],
  subjectAltName: [0x55, 0x1d, 0x11],
}

/** Creates an RSA key and a self-signed certificate for one hostname. */
export function selfSigned(name: string, { bits, from, to }: { bits: number; from: Date; to: Date }): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: bits,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  })
  const algorithm = sequence(element(0x06, object.sha256WithRsa), element(0x05, []))
  const subject = sequence(element(0x31, sequence(element(0x06, object.commonName), element(0x0c, Buffer.from(name)))))
  const names = sequence(element(0x82, Buffer.from(name)))
  const extensions = sequence(sequence(element(0x06, object.subjectAltName), element(0x04, names)))
  const content = sequence(
    element(0xa0, element(0x02, [2])),
    element(0x02, [0x01, ...randomBytes(8)]),
    algorithm,
    subject,
    sequence(time(from), time(to)),
    subject,
    publicKey,
    element(0xa3, extensions),
  )
  const signature = sign('sha256', content, createPrivateKey(privateKey))
  const whole = sequence(content, algorithm, element(0x03, [0, ...signature]))
  return { key: privateKey, cert: pem(whole) }
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts))
}

/** Encodes tag, length, and content. */
function element(tag: number, content: Buffer | readonly number[]): Buffer {
  const body = Buffer.from(content)
  const size = [...Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'), 'hex')]
  return Buffer.concat([
    Buffer.from([tag, ...(body.length < 0x80 ? [body.length] : [0x80 | size.length, ...size])]),
    body,
  ])
}

/** GeneralizedTime, which can represent every year. */
function time(date: Date): Buffer {
  return element(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')}`))
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
