/** The order of Debian package versions, `epoch:upstream-revision` (Debian Policy 5.6.12, deb-version(7)). */
import { compareDigits } from '#version/generic.ts'

interface DebianVersion {
  readonly epoch: string
  readonly upstream: string
  readonly revision: string
}

/** Compares two package versions; returns a negative number, zero, or a positive number. This is a total order. */
export function compareDebian(left: string, right: string): number {
  const a = parseDebianVersion(left)
  const b = parseDebianVersion(right)
  return (
    Math.sign(compareDigits(a.epoch, b.epoch)) ||
    comparePart(a.upstream, b.upstream) ||
    comparePart(a.revision, b.revision)
  )
}

/** Splits a package version at its first colon and its last hyphen; a missing epoch or revision is 0. */
export function parseDebianVersion(text: string): DebianVersion {
  const [, epoch = '0', rest = ''] = /^(?:(\d+):)?(.*)$/s.exec(text.trim()) ?? []
  const hyphen = rest.lastIndexOf('-')
  if (hyphen === -1) return { epoch, upstream: rest, revision: '0' }
  return { epoch, upstream: rest.slice(0, hyphen), revision: rest.slice(hyphen + 1) }
}

/** Compares alternating runs of non-digits and digits, starting with non-digits. */
function comparePart(left: string, right: string): number {
  const a = splitRuns(left)
  const b = splitRuns(right)
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference =
      index % 2 === 0 ? compareText(a[index] ?? '', b[index] ?? '') : compareDigits(a[index] ?? '0', b[index] ?? '0')
    if (difference !== 0) return Math.sign(difference)
  }
  return 0
}

function splitRuns(text: string): readonly string[] {
  const parts: string[] = text.match(/\D+|\d+/g) ?? []
  return /^\d/.test(text) ? ['', ...parts] : parts
}

function compareText(left: string, right: string): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = sortWeight(left[index]) - sortWeight(right[index])
    if (difference !== 0) return difference
  }
  return 0
}

/** `~` sorts before the end of the text, letters after it, and all other characters after letters. */
function sortWeight(character: string | undefined): number {
  if (character === undefined) return 0
  if (character === '~') return -1
  const code = character.codePointAt(0) ?? 0
  return /[a-z]/i.test(character) ? code : code + 256
}
