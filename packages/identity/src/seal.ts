/** What is kept so that it can be read again and must not be read from the database: sealed with the installation's secret. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** What is sealed; each purpose has its own key, so that nothing can be put in another thing's place. */
export type Purpose =
  | 'identity continuity'
  | 'identity form'
  | 'identity totp'
  | 'identity lookup_secret'
  | 'identity provider'

interface Holder {
  readonly secret: Buffer
}

/** Seals a text with AES-256-GCM: nonce, tag, ciphertext. */
export function seal(holder: Holder, purpose: Purpose, text: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(holder, purpose), nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/**
 * Reads what `seal` made for the same purpose.
 *
 * @throws Error when it was changed or sealed with another secret
 */
export function unseal(holder: Holder, purpose: Purpose, bytes: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(holder, purpose), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}

function keyOf({ secret }: Holder, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}
