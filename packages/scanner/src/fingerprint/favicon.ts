import { createHash } from 'node:crypto'
import { murmur3 } from '#template/murmur3.ts'

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
