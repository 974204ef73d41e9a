import { createHash } from 'node:crypto'

/**
 * The number by which search engines for hosts index a favicon: MurmurHash3 (x86, 32 bit, seed 0) of
 * its base64 text in lines of 76 characters, as a signed number.
 */
export function faviconHash(icon: Uint8Array): string {
  const lines = Buffer.from(icon)
    .toString('base64')
    .replaceAll(/.{1,76}/g, '$&\n')
  return String(murmur3(Buffer.from(lines)))
}

/** MD5 of the icon in hexadecimal, which is what Recog's favicon fingerprints name. */
export function faviconMd5(icon: Uint8Array): string {
  return createHash('md5').update(icon).digest('hex')
}

/** MurmurHash3_x86_32 with seed 0 (A. Appleby, public domain), as a signed 32-bit number. */
export function murmur3(bytes: Buffer): number {
  const blocks = bytes.length >> 2
  let hash = 0
  for (let index = 0; index < blocks; index++) {
    hash = rotated(hash ^ scrambled(bytes.readUInt32LE(index * 4)), 13)
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
  }
  let tail = 0
  for (let index = bytes.length - 1; index >= blocks * 4; index--) tail = (tail << 8) | (bytes[index] ?? 0)
  hash ^= scrambled(tail) ^ bytes.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

function scrambled(block: number): number {
  return Math.imul(rotated(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593)
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}
