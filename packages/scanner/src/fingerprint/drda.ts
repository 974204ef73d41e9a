/** Server identity in the EXCSATRD reply of DRDA. */

const serverClass = 0x1147
const serverRelease = 0x115a
const readableLength = 200
/** Characters of EBCDIC code page 37 from 0x40; others become spaces. */
const printableRanges: readonly (readonly [number, string])[] = [
  [0x40, ' '],
  [0x4b, '.<(+'],
  [0x60, '-/'],
  [0x6b, ',%_'],
  [0x81, 'abcdefghi'],
  [0x91, 'jklmnopqr'],
  [0xa2, 'stuvwxyz'],
  [0xc1, 'ABCDEFGHI'],
  [0xd1, 'JKLMNOPQR'],
  [0xe2, 'STUVWXYZ'],
  [0xf0, '0123456789'],
  [0x5d, ')'],
]
const characters = new Map(
  printableRanges.flatMap(([start, text]) =>
    Array.from(text, (character, index) => [start + index, character] as const),
  ),
)

/** `Apache Derby CSS10140/10.14.2.0 - (1828579)`: the class and release level; empty when absent. */
export function relationalIdentity(reply: Buffer): string {
  const found = new Map<number, string>()
  for (let at = 10; at + 4 <= reply.length;) {
    const length = reply.readUInt16BE(at)
    if (length < 4) break
    const value = reply.subarray(at + 4, Math.min(at + length, at + 4 + readableLength))
    found.set(reply.readUInt16BE(at + 2), [...value].map((byte) => characters.get(byte) ?? ' ').join(''))
    at += length
  }
  return [found.get(serverClass), found.get(serverRelease)].filter(Boolean).join(' ').trim()
}
