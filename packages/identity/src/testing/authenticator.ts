/** An authenticator in software: P-256 keys, attestation "none", a counter. It does as WebAuthn says, unless told otherwise. */
import { type KeyObject, createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { portalUrl } from '#testing/test-identity.ts'

interface Slot {
  readonly id: Buffer
  readonly privateKey: KeyObject
  readonly userHandle: string
  counter: number
}

interface Twist {
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

export class Authenticator {
  readonly #aaguid: Buffer
  #slot: Slot | undefined

  constructor(aaguid: Buffer = Buffer.alloc(16)) {
    this.#aaguid = aaguid
  }

  /** Makes a key; the JSON that the page's script would send. */
  create({ challenge, rp, user }: Creation, twist: Twist = {}): string {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const slot: Slot = { id: randomBytes(32), privateKey, userHandle: user.id, counter: 0 }
    this.#slot = slot
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const cose = cborMap([
      [cborInteger(1), cborInteger(2)],
      [cborInteger(3), cborInteger(-7)],
      [cborInteger(-1), cborInteger(1)],
      [cborInteger(-2), cborBytes(Buffer.from(x, 'base64url'))],
      [cborInteger(-3), cborBytes(Buffer.from(y, 'base64url'))],
    ])
    const length = Buffer.from([0, slot.id.length])
    const data = [header(twist.rpId ?? rp.id, 0x45, 0), this.#aaguid, length, slot.id, cose]
    const attestation = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(Buffer.concat(data))],
    ])
    return answer(slot, {
      attestationObject: attestation.toString('base64url'),
      clientDataJSON: clientData('webauthn.create', challenge, twist).toString('base64url'),
    })
  }

  /** The id of the key that was made last, as forms name it. */
  idInHex(): string {
    return this.#slot?.id.toString('hex') ?? ''
  }

  /** Signs a challenge with the key that was made last; the JSON that the page's script would send. */
  get({ challenge, rpId }: Request, twist: Twist = {}): string {
    const slot = this.#slot
    if (!slot) throw new Error('This authenticator has no key yet')
    slot.counter += 1
    const data = header(twist.rpId ?? rpId, 0x05, twist.counter ?? slot.counter)
    const client = clientData('webauthn.get', challenge, twist)
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
    return answer(slot, {
      authenticatorData: data.toString('base64url'),
      clientDataJSON: client.toString('base64url'),
      signature: sign('sha256', signed, slot.privateKey).toString('base64url'),
      userHandle: twist.userHandle ?? slot.userHandle,
    })
  }
}

function answer({ id }: Slot, response: Record<string, string>): string {
  const text = id.toString('base64url')
  return JSON.stringify({ id: text, rawId: text, type: 'public-key', response })
}

function clientData(type: string, challenge: string, twist: Twist): Buffer {
  const origin = twist.origin ?? new URL(portalUrl).origin
  return Buffer.from(JSON.stringify({ type, challenge: twist.challenge ?? challenge, origin, crossOrigin: false }))
}

function header(rpId: string, flags: number, counter: number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count])
}

/** CBOR, RFC 8949: as much of it as an attestation needs. */
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
