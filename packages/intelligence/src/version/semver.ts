/** Semantic Versioning 2.0.0, read leniently: `v1.2`, `1.21rc2` and `1.0.0.alpha` are understood. */
import { compareDigits } from '#version/generic.ts'

interface SemanticVersion {
  readonly release: readonly [string, string, string]
  readonly pre: readonly string[]
}

const shape = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:[-.]?([a-z][0-9a-z.-]*)|-([0-9a-z.-]+))?(?:\+.*)?$/

/**
 * Compares two versions by the precedence of section 11.
 *
 * @returns negative, zero or positive; null when one of them is no semantic version
 */
export function compareSemver(left: string, right: string): number | null {
  const a = read(left)
  const b = read(right)
  if (!a || !b) return null
  for (const index of [0, 1, 2] as const) {
    const difference = compareDigits(a.release[index], b.release[index])
    if (difference !== 0) return Math.sign(difference)
  }
  return comparePre(a.pre, b.pre)
}

function read(text: string): SemanticVersion | null {
  const found = shape.exec(text.trim().toLowerCase())
  if (!found) return null
  const [, major = '0', minor = '0', patch = '0', word, dashed] = found
  const pre = word ?? dashed
  return { release: [major, minor, patch], pre: pre === undefined ? [] : pre.split(/[.-]/) }
}

/** No pre-release is above any; numbers are below words; the longer list is above. */
function comparePre(a: readonly string[], b: readonly string[]): number {
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
