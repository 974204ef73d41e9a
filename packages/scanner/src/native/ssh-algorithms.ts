/** The SSH algorithms that Node supports, by preference. Many devices support only obsolete ones. */
import { createDiffieHellmanGroup, createECDH } from 'node:crypto'

/** A key exchange supported by Node. */
export interface KeyExchangeMethod {
  readonly hash: string
  readonly begin: () => { readonly publicKey: Buffer; readonly isNumber: boolean; secret(theirKey: Buffer): Buffer }
}
const curve = (name: string, hash: string): KeyExchangeMethod => ({
  hash,
  begin() {
    const own = createECDH(name)
    return { publicKey: own.generateKeys(), isNumber: false, secret: (theirKey) => own.computeSecret(theirKey) }
  },
})
const group = (name: string, hash: string): KeyExchangeMethod => ({
  hash,
  begin() {
    const own = createDiffieHellmanGroup(name)
    return { publicKey: own.generateKeys(), isNumber: true, secret: (theirKey) => own.computeSecret(theirKey) }
  },
})
export const keyExchangeMethods: Readonly<Record<string, KeyExchangeMethod>> = {
  'ecdh-sha2-nistp256': curve('prime256v1', 'sha256'),
  'ecdh-sha2-nistp384': curve('secp384r1', 'sha384'),
  'diffie-hellman-group14-sha256': group('modp14', 'sha256'),
  'diffie-hellman-group16-sha512': group('modp16', 'sha512'),
  'diffie-hellman-group14-sha1': group('modp14', 'sha1'),
  'diffie-hellman-group1-sha1': group('modp2', 'sha1'),
}

interface Cipher {
  readonly name: string
  readonly keyBytes: number
  readonly blockBytes: number
}
export const ciphers: Readonly<Record<string, Cipher>> = {
  'aes128-ctr': { name: 'aes-128-ctr', keyBytes: 16, blockBytes: 16 },
  'aes256-ctr': { name: 'aes-256-ctr', keyBytes: 32, blockBytes: 16 },
  'aes128-cbc': { name: 'aes-128-cbc', keyBytes: 16, blockBytes: 16 },
  'aes256-cbc': { name: 'aes-256-cbc', keyBytes: 32, blockBytes: 16 },
  '3des-cbc': { name: 'des-ede3-cbc', keyBytes: 24, blockBytes: 8 },
}
interface Mac {
  readonly hash: string
  readonly bytes: number
}
export const macs: Readonly<Record<string, Mac>> = {
  'hmac-sha2-256': { hash: 'sha256', bytes: 32 },
  'hmac-sha2-512': { hash: 'sha512', bytes: 64 },
  'hmac-sha1': { hash: 'sha1', bytes: 20 },
  'hmac-md5': { hash: 'md5', bytes: 16 },
}

/** Our first algorithm that the server supports (RFC 4253, section 7.1). */
export function chosen<Algorithm>(
  own: Readonly<Record<string, Algorithm>>,
  theirs: readonly string[],
): Algorithm | undefined {
  const name = Object.keys(own).find((candidate) => theirs.includes(candidate))
  return name === undefined ? undefined : own[name]
}

export interface Algorithms {
  readonly cipherOut: Cipher
  readonly cipherIn: Cipher
  readonly macOut: Mac
  readonly macIn: Mac
}

export function isComplete(algorithms: {
  [Name in keyof Algorithms]: Algorithms[Name] | undefined
}): algorithms is Algorithms {
  return Object.values(algorithms).every((algorithm) => algorithm !== undefined)
}
