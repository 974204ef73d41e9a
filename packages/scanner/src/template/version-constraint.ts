/**
 * Version constraints of `compare_versions`, following HashiCorp's go-version: a pre-release only
 * satisfies ordering constraints that name a pre-release of the same version.
 */
interface Version {
  readonly numbers: readonly number[]
  /** Number of segments written; the rest is padded with zeros. */
  readonly written: number
  readonly preRelease: string
}

/**
 * Whether the version satisfies all comma-separated constraints.
 *
 * @returns undefined when the version or a constraint is invalid
 */
export function satisfies(version: string, constraints: readonly string[]): boolean | undefined {
  const subject = parseVersion(version)
  if (!subject) return undefined
  let isMet = true
  for (const constraint of constraints.flatMap((text) => text.split(','))) {
    const [, operator = '', rest = ''] = /^(>=|<=|!=|~>|=|>|<|)\s*(\S+)$/.exec(constraint.trim()) ?? []
    const bound = parseVersion(rest)
    if (!bound) return undefined
    if (!satisfiesOne(operator, subject, bound)) isMet = false
  }
  return isMet
}

/** Longer numbers aren't exact. */
const DIGITS_MAX = 15

function parseVersion(text: string): Version | null {
  const match =
    /^v?(\d+(?:\.\d+)*)(?:-?([A-Za-z~-][0-9A-Za-z~-]*(?:\.[0-9A-Za-z~-]+)*)|-(\d[0-9A-Za-z~-]*(?:\.[0-9A-Za-z~-]+)*))?(?:\+[0-9A-Za-z.~-]+)?$/.exec(
      text.trim(),
    )
  const parts = match?.[1]?.split('.') ?? []
  if (!match || parts.some((part) => part.length > DIGITS_MAX)) return null
  const numbers = parts.map(Number)
  const written = numbers.length
  while (numbers.length < 3) numbers.push(0)
  return { numbers, written, preRelease: match[2] ?? match[3] ?? '' }
}

function satisfiesOne(operator: string, subject: Version, bound: Version): boolean {
  const order = compare(subject, bound)
  if (operator === '' || operator === '=') return order === 0
  if (operator === '!=') return order !== 0
  if (subject.preRelease && !(bound.preRelease && compareNumbers(subject, bound) === 0)) return false
  if (operator === '>') return order > 0
  if (operator === '>=') return order >= 0
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  return order >= 0 && isWithinMajor(subject, bound)
}

/** `~> 1.2.3` allows only the last written segment to increase. */
function isWithinMajor(subject: Version, bound: Version): boolean {
  return bound.numbers.slice(0, Math.max(1, bound.written - 1)).every((number, at) => subject.numbers[at] === number)
}

function compare(left: Version, right: Version): number {
  const order = compareNumbers(left, right)
  if (order !== 0 || left.preRelease === right.preRelease) return order
  if (left.preRelease === '') return 1
  if (right.preRelease === '') return -1
  return comparePreRelease(left.preRelease.split('.'), right.preRelease.split('.'))
}

function compareNumbers(left: Version, right: Version): number {
  const length = Math.max(left.numbers.length, right.numbers.length)
  for (let at = 0; at < length; at++) {
    const difference = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Numbers before words, numbers by value, words by code point, shorter lists first. */
function comparePreRelease(left: readonly string[], right: readonly string[]): number {
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [one, other] = [left[at], right[at]]
    if (one === other) continue
    if (one === undefined) return -1
    if (other === undefined) return 1
    const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
    if (isNumber && isOtherNumber) return Number(one) - Number(other)
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
    return one < other ? -1 : 1
  }
  return 0
}
