/** The order of RPM package versions, `epoch:version-release` (rpm-version(7), rpmvercmp). */
import { compareDigits } from '#version/generic.ts'

/**
 * Compares two package versions; returns a negative number, zero, or a positive number. Releases are
 * compared only if both versions have one.
 */
export function compareRpm(left: string, right: string): number {
  const a = parseRpmVersion(left)
  const b = parseRpmVersion(right)
  const order = Math.sign(compareDigits(a.epoch, b.epoch)) || comparePart(a.version, b.version)
  if (order !== 0 || a.release === '' || b.release === '') return order
  return comparePart(a.release, b.release)
}

/** Splits a package version at its first colon and its last hyphen; a missing epoch is 0. */
export function parseRpmVersion(text: string): {
  readonly epoch: string
  readonly version: string
  readonly release: string
} {
  const [, epoch = '0', rest = ''] = /^(?:(\d+):)?(.*)$/s.exec(text.trim()) ?? []
  const hyphen = rest.lastIndexOf('-')
  if (hyphen === -1) return { epoch, version: rest, release: '' }
  return { epoch, version: rest.slice(0, hyphen), release: rest.slice(hyphen + 1) }
}

/** Compares segments of digits or letters. Separators are ignored, except `~` and `^`. */
function comparePart(left: string, right: string): number {
  const a = splitSegments(left)
  const b = splitSegments(right)
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = compareSegment(a[index], b[index])
    if (difference !== 0) return difference
  }
  return 0
}

function splitSegments(text: string): readonly string[] {
  return text.match(/\d+|[a-z]+|[~^]/gi) ?? []
}

/** `~` sorts before the end of the text, `^` after it but before any other segment; digits are newer than letters. */
function compareSegment(left: string | undefined, right: string | undefined): number {
  const [a, b] = [segmentRank(left), segmentRank(right)]
  if (a !== b) return Math.sign(a - b)
  if (left === undefined || right === undefined) return 0
  if (/^\d/.test(left)) return Math.sign(compareDigits(left, right))
  return left < right ? -1 : Number(left > right)
}

function segmentRank(segment: string | undefined): number {
  if (segment === '~') return -1
  if (segment === undefined) return 0
  if (segment === '^') return 1
  return /^\d/.test(segment) ? 3 : 2
}
