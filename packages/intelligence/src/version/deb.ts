/** The order of Debian package versions, `epoch:upstream-revision` (Debian Policy 5.6.12, deb-version(7)). */
import { compareDigits } from '#version/generic.ts'

interface DebianVersion {
  readonly epoch: string
  readonly upstream: string
  readonly revision: string
}

/** Compares two package versions; negative, zero or positive. Every two of them have an order. */
export function compareDebian(left: string, right: string): number {
  const a = readDebian(left)
  const b = readDebian(right)
  return (
    Math.sign(compareDigits(a.epoch, b.epoch)) ||
    comparePart(a.upstream, b.upstream) ||
    comparePart(a.revision, b.revision)
  )
}

/** Splits a package version at its first colon and its last hyphen; a missing epoch or revision is 0. */
export function readDebian(text: string): DebianVersion {
  const [, epoch = '0', rest = ''] = /^(?:(\d+):)?(.*)$/s.exec(text.trim()) ?? []
  const hyphen = rest.lastIndexOf('-')
  if (hyphen === -1) return { epoch, upstream: rest, revision: '0' }
  return { epoch, upstream: rest.slice(0, hyphen), revision: rest.slice(hyphen + 1) }
}

/** Runs of other characters and runs of digits take turns, beginning with the other characters. */
function comparePart(left: string, right: string): number {
  const a = runs(left)
  const b = runs(right)
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference =
      index % 2 === 0 ? compareText(a[index] ?? '', b[index] ?? '') : compareDigits(a[index] ?? '0', b[index] ?? '0')
    if (difference !== 0) return Math.sign(difference)
  }
  return 0
}

function runs(text: string): readonly string[] {
  const found: string[] = text.match(/\D+|\d+/g) ?? []
  return /^\d/.test(text) ? ['', ...found] : found
}

function compareText(left: string, right: string): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = weight(left[index]) - weight(right[index])
    if (difference !== 0) return difference
  }
  return 0
}

/** `~` sorts before the end, letters after it, everything else after letters. */
function weight(character: string | undefined): number {
  if (character === undefined) return 0
  if (character === '~') return -1
  const code = character.codePointAt(0) ?? 0
  return /[a-z]/i.test(character) ? code : code + 256
}
