/** MurmurHash3, x86, 32 bit, seed 0, as used for favicon hashes. Signed, like Python's mmh3. */
export function murmur3(data: Uint8Array): number {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const blocks = data.length >> 2
  let hash = 0
  for (let block = 0; block < blocks; block++) {
    hash ^= scramble(view.getUint32(block * 4, true))
    hash = (hash << 13) | (hash >>> 19)
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0
  }
  let tail = 0
  for (let at = data.length - 1; at >= blocks * 4; at--) tail = (tail << 8) | (data[at] ?? 0)
  if (data.length % 4 !== 0) hash ^= scramble(tail)
  hash ^= data.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}

function scramble(block: number): number {
  const mixed = Math.imul(block, 0xcc9e2d51)
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593)
}
