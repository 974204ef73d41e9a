/** Writes tar archives of plain files (POSIX.1-1988 ustar). */

export interface TarEntry {
  /** Path inside the archive, with slashes. */
  readonly name: string
  readonly content: Buffer
}

const blockBytes = 512
const nameBytesMax = 100
const prefixBytesMax = 155

/** @throws for a name that the format cannot hold */
export function tar(entries: readonly TarEntry[]): Buffer {
  const pieces = entries.flatMap(({ name, content }) => [
    header(name, content.length),
    content,
    padding(content.length),
  ])
  return Buffer.concat([...pieces, Buffer.alloc(2 * blockBytes)])
}

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(blockBytes)
  const { name, prefix } = split(path)
  block.write(name, 0)
  block.write('0000644\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  block.write('00000000000\0', 136)
  // The sum is taken with its own field full of spaces.
  block.write('        ', 148)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  block.write(prefix, 345)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** A long path is cut in two at a slash. */
function split(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= nameBytesMax) return { name: path, prefix: '' }
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)]
    if (Buffer.byteLength(name) <= nameBytesMax && Buffer.byteLength(prefix) <= prefixBytesMax) return { name, prefix }
  }
  throw new Error(`${path} is too long for an archive`)
}

function padding(size: number): Buffer {
  return Buffer.alloc((blockBytes - (size % blockBytes)) % blockBytes)
}
