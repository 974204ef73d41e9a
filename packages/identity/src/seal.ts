/** Authenticated encryption of stored values, with keys derived from the configured secret. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Each purpose has its own key, so that a value can't be substituted for one with another purpose. */
export type Purpose =
  | 'identity continuity'
  | 'identity form'
  | 'identity totp'
  | 'identity lookup_secret'
  | 'identity provider'
  | 'organization provider'

interface KeySource {
  readonly secret: Buffer
}

/** Encrypts with AES-256-GCM. Format: nonce, tag, ciphertext. */
export function seal(source: KeySource, purpose: Purpose, text: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(source, purpose), nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/**
 * Decrypts a value from `seal`.
 *
 * @throws Error if the value was modified, or sealed for another purpose or with another secret
 */
export function unseal(source: KeySource, purpose: Purpose, bytes: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(source, purpose), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}

function deriveKey({ secret }: KeySource, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}
