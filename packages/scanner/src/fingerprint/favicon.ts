import { createHash } from 'node:crypto'
import { murmur3 } from '#template/murmur3.ts'

/**
 * Favicon hash as used by Shodan: signed MurmurHash3 (x86, 32 bit, seed 0) of the Base64 text in
 * lines of 76 characters.
 */
export function faviconHash(icon: Uint8Array): string {
  const lines = Buffer.from(icon)
    .toString('base64')
    .replaceAll(/.{1,76}/g, '$&\n')
  return String(murmur3(Buffer.from(lines)))
}

/** MD5 of the icon in hexadecimal, as used by Recog's favicon fingerprints. */
export function faviconMd5(icon: Uint8Array): string {
  return createHash('md5').update(icon).digest('hex')
}
