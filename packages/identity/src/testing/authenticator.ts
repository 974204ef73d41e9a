/**
 * Virtual WebAuthn authenticator: P-256 keys, attestation `none`, and a counter. Tests can override response values.
 */
import { type KeyObject, createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { portalUrl } from '#testing/test-identity.ts'

interface StoredKey {
  readonly id: Buffer
  readonly privateKey: KeyObject
  readonly userHandle: string
  counter: number
}

interface Overrides {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly counter?: number
  readonly userHandle?: string
}

interface Creation {
  readonly challenge: string
  readonly rp: { readonly id: string }
  readonly user: { readonly id: string }
}
interface Request {
  readonly challenge: string
  readonly rpId: string
}

export class VirtualAuthenticator {
  readonly #aaguid: Buffer
  #slot: StoredKey | undefined

  constructor(aaguid: Buffer = Buffer.alloc(16)) {
    this.#aaguid = aaguid
  }

  /** Creates a key. Returns the JSON that the browser script would submit. */
  create({ challenge, rp, user }: Creation, overrides: Overrides = {}): string {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key: StoredKey = { id: randomBytes(32), privateKey, userHandle: user.id, counter: 0 }
    this.#slot = key
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const cose = cborMap([
      [cborInteger(1), cborInteger(2)],
      [cborInteger(3), cborInteger(-7)],
      [cborInteger(-1), cborInteger(1)],
      [cborInteger(-2), cborBytes(Buffer.from(x, 'base64url'))],
      [cborInteger(-3), cborBytes(Buffer.from(y, 'base64url'))],
    ])
    const length = Buffer.from([0, key.id.length])
    const data = [authenticatorData(overrides.rpId ?? rp.id, 0x45, 0), this.#aaguid, length, key.id, cose]
    const attestation = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(Buffer.concat(data))],
    ])
    return encodeCredential(key, {
      attestationObject: attestation.toString('base64url'),
      clientDataJSON: clientData('webauthn.create', challenge, overrides).toString('base64url'),
    })
  }

  /** The ID of the last key in hexadecimal, as forms contain it. */
  idInHex(): string {
    return this.#slot?.id.toString('hex') ?? ''
  }

  /** Signs a challenge with the last key. Returns the JSON that the browser script would submit. */
  get({ challenge, rpId }: Request, overrides: Overrides = {}): string {
    const key = this.#slot
    if (!key) throw new Error('This authenticator has no key')
    key.counter += 1
    const data = authenticatorData(overrides.rpId ?? rpId, 0x05, overrides.counter ?? key.counter)
    const client = clientData('webauthn.get', challenge, overrides)
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
    return encodeCredential(key, {
      authenticatorData: data.toString('base64url'),
      clientDataJSON: client.toString('base64url'),
      signature: sign('sha256', signed, key.privateKey).toString('base64url'),
      userHandle: overrides.userHandle ?? key.userHandle,
    })
  }
}

function encodeCredential({ id }: StoredKey, response: Record<string, string>): string {
  const text = id.toString('base64url')
  return JSON.stringify({ id: text, rawId: text, type: 'public-key', response })
}

function clientData(type: string, challenge: string, overrides: Overrides): Buffer {
  const origin = overrides.origin ?? new URL(portalUrl).origin
  return Buffer.from(JSON.stringify({ type, challenge: overrides.challenge ?? challenge, origin, crossOrigin: false }))
}

function authenticatorData(rpId: string, flags: number, counter: number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count])
}

/** The subset of CBOR (RFC 8949) that attestations use. */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}
function cborInteger(value: number): Buffer {
  return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
}
function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes])
}
function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)])
}
function cborMap(entries: readonly (readonly [Buffer, Buffer])[]): Buffer {
  return Buffer.concat([cborHead(5, entries.length), ...entries.flat()])
}
