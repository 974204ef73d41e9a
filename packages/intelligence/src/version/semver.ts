/** Semantic Versioning 2.0.0, parsed leniently: `v1.2`, `1.21rc2`, and `1.0.0.alpha` are accepted. */
import { compareDigits } from '#version/generic.ts'

interface SemanticVersion {
  readonly release: readonly [string, string, string]
  readonly preRelease: readonly string[]
}

const pattern = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:[-.]?([a-z][0-9a-z.-]*)|-([0-9a-z.-]+))?(?:\+.*)?$/

/**
 * Compares two versions by precedence (section 11).
 *
 * @returns a negative number, zero, or a positive number; null if one is not a semantic version
 */
export function compareSemver(left: string, right: string): number | null {
  const a = parseSemver(left)
  const b = parseSemver(right)
  if (!a || !b) return null
  for (const index of [0, 1, 2] as const) {
    const difference = compareDigits(a.release[index], b.release[index])
    if (difference !== 0) return Math.sign(difference)
  }
  return comparePreRelease(a.preRelease, b.preRelease)
}

function parseSemver(text: string): SemanticVersion | null {
  const match = pattern.exec(text.trim().toLowerCase())
  if (!match) return null
  const [, major = '0', minor = '0', patch = '0', word, dashed] = match
  const preRelease = word ?? dashed
  return { release: [major, minor, patch], preRelease: preRelease === undefined ? [] : preRelease.split(/[.-]/) }
}

/** A release is newer than its pre-releases; numeric identifiers are lower than text; a longer list is newer. */
function comparePreRelease(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length)
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const left = a[index]
    const right = b[index]
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1
    const difference = compareIdentifier(left, right)
    if (difference !== 0) return difference
  }
  return 0
}

function compareIdentifier(left: string, right: string): number {
  const areNumbers = [/^\d+$/.test(left), /^\d+$/.test(right)]
  if (areNumbers[0] && areNumbers[1]) return Math.sign(compareDigits(left, right))
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1
  return left < right ? -1 : Number(left > right)
}
