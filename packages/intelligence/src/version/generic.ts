/**
 * Version comparison for products without documented rules.
 *
 * The leading numbers decide most cases. Words after them make a version older (`rc1`, `beta`, `dev`),
 * newer (`p1`, `sp2`, OpenSSL's letters), or incomparable. A wrong order would cause false positives or
 * false negatives, so an unknown order is `null`.
 */

/** Special rules for a product's versions. */
export interface GenericRules {
  /** `3.9.0a1` is an alpha (Python, BIND), not a version after 3.9.0. */
  readonly attachedAlphas?: boolean
  /** Letters identify release trains (Cisco IOS): versions of different trains are not comparable. */
  readonly trains?: boolean
}

type Token =
  | { readonly kind: 'preRelease'; readonly rank: number }
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'letter'; readonly text: string }
  | { readonly kind: 'level'; readonly text: string }
  | { readonly kind: 'word'; readonly text: string }

/** A parsed version. */
export interface Version {
  /** The leading numbers, without leading zeros and without trailing zero components. */
  readonly release: readonly string[]
  /** The release as a string: equal versions have equal keys. */
  readonly key: string
  /** Everything from the first word on. */
  readonly suffix: readonly Token[]
  /** The version starts with a year, such as `2022-01-01` or `2000`; such versions are not comparable with `11.7`. */
  readonly isYear: boolean
}

const preReleaseRanks = rankByWord(
  ['dev', 'devel', 'nightly', 'snapshot', 'canary', 'unstable', 'trunk'],
  ['alpha'],
  ['beta'],
  ['m', 'milestone', 'ea'],
  ['pre', 'preview', 'prerelease'],
  ['rc', 'cr'],
)
/** Words for patch levels, which are newer than the plain version. Spellings of one level are grouped. */
const patchLevels = firstSpellingByWord(
  ['p', 'pl', 'patch'],
  ['r', 'rev', 'revision'],
  ['u', 'update'],
  ['hf', 'hotfix'],
  ['sp'],
  ['cu'],
  ['fp'],
  ['mr'],
  ['h'],
  ['s'],
  ['build'],
)
/** Words that don't affect the order. */
const ignoredWords = new Set([
  'ga',
  'final',
  'release',
  'stable',
  'lts',
  'ce',
  'ee',
  'oss',
  'community',
  'enterprise',
  'jre',
])

/**
 * Compares two versions.
 *
 * @returns a negative number, zero, or a positive number if `left` is older than, equal to, or newer than
 *   `right`; null if they are not comparable
 */
export function compareGeneric(left: string, right: string, rules: GenericRules = noRules): number | null {
  const a = parseVersion(left, rules)
  const b = parseVersion(right, rules)
  const isComparable = a && b && areComparable(a, b)
  const order = isComparable ? compareRelease(a, b) : 0
  if (order !== 0) return order
  if (left.trim().toLowerCase() === right.trim().toLowerCase()) return 0
  if (!a || !b || a.isYear !== b.isYear) return isComparable ? order : null
  return compareSuffix(a.suffix, b.suffix)
}

/** Whether two releases are comparable: years are not comparable with other numbers, except zero. */
export function areComparable(a: Version, b: Version): boolean {
  return a.isYear === b.isYear || isZero(a) || isZero(b)
}

/** Returns true for a pre-release version or update, such as `rc1`. */
export function isPreRelease(text: string): boolean {
  if (text.length > cachedLengthMax) return hasPreReleaseToken(text)
  const cached = preReleaseCache.get(text)
  if (cached !== undefined) return cached
  if (preReleaseCache.size >= cacheMax) preReleaseCache.clear()
  const result = hasPreReleaseToken(text)
  preReleaseCache.set(text, result)
  return result
}

function hasPreReleaseToken(text: string): boolean {
  return tokenize(normalize(text), { attachedAlphas: true }).some((token) => token.kind === 'preRelease')
}

/** Compares runs of digits of any length as numbers. */
export function compareDigits(left: string, right: string): number {
  return compareStripped(stripLeadingZeros(left), stripLeadingZeros(right))
}

function compareStripped(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b))
}

function stripLeadingZeros(digits: string): string {
  return digits.startsWith('0') ? digits.replace(/^0{1,500}(?=\d)/, '') : digits
}

/** The leading numbers of a version as a string: equal versions have equal keys. */
export function releaseKey(text: string): string {
  return parseVersion(text, noRules)?.key ?? text.trim().toLowerCase()
}

/** Versions recur often. The map is keyed by the rules object, of which there are only a few. */
const versionCaches = new WeakMap<GenericRules, Map<string, Version | null>>()
const cacheMax = 50_000
/** Versions are short. Long texts come from hostile hosts, and would make the caches large. */
const cachedLengthMax = 64
const preReleaseCache = new Map<string, boolean>()
const noRules: GenericRules = {}

/** Parses a version; null if it has no number. Cached. */
export function parseVersion(text: string, rules: GenericRules = noRules): Version | null {
  if (text.length > cachedLengthMax) return parseUncached(text, rules)
  const cache = versionCaches.get(rules) ?? new Map<string, Version | null>()
  versionCaches.set(rules, cache)
  const cached = cache.get(text)
  if (cached !== undefined) return cached
  if (cache.size >= cacheMax) cache.clear()
  const version = parseUncached(text, rules)
  cache.set(text, version)
  return version
}

function parseUncached(text: string, rules: GenericRules): Version | null {
  // Fast path for numbers and dots; eight leading digits can be a date.
  if (/^\d{1,7}(?:\.\d+)*$/.test(text)) return createVersion(text.split('.').map(stripLeadingZeros), noSuffix)
  const allTokens = tokenize(normalize(text), rules)
  const firstWord = allTokens.findIndex((token) => token.kind !== 'number')
  const count = firstWord === -1 ? allTokens.length : firstWord
  const release = allTokens
    .slice(0, count)
    .flatMap((token) => (token.kind === 'number' ? [stripLeadingZeros(token.digits)] : []))
  return release.length === 0 ? null : createVersion(release, allTokens.slice(count))
}

const noSuffix: readonly Token[] = []

function createVersion(release: string[], suffix: readonly Token[]): Version {
  while (release.length > 1 && Number(release.at(-1)) === 0) release.pop()
  const first = Number(release[0])
  return { release, key: release.join('.'), suffix, isYear: first >= 1980 && first <= 2100 }
}

/** Removes a leading `v` or `release-`, build metadata, and a commit hash in parentheses, and splits dates. */
function normalize(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^(?:release|version|ver|rel|v)[-_. ]?(?=\d)/, '')
    .replace(/\([0-9a-f]{7,40}\)/, '')
    .replace(/-?\$\{.*$/s, '')
    .replace(/\+.*$/s, '')
    .replace(/^((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?!\d)/, '$1.$2.$3')
}

function tokenize(text: string, rules: GenericRules): Token[] {
  return [...text.matchAll(/\d+|[a-z]+/g)].flatMap((match) => {
    const [word] = match
    if (/\d/.test(word)) return [{ kind: 'number', digits: word }]
    const isAttached = /\d/.test(text[match.index - 1] ?? '')
    const isNumbered = /\d/.test(text[match.index + word.length] ?? '')
    return ignoredWords.has(word) ? [] : [classify(word, isAttached, isNumbered, rules)]
  })
}

function classify(word: string, isAttached: boolean, isNumbered: boolean, rules: GenericRules): Token {
  if (rules.trains) return { kind: 'word', text: word }
  if (word === 'a' || word === 'b') {
    if (!isAttached || (isNumbered && rules.attachedAlphas))
      return { kind: 'preRelease', rank: preReleaseRanks.get(word === 'a' ? 'alpha' : 'beta') ?? 0 }
    // `5a1` is an alpha of some products and a patch of others.
    return isNumbered ? { kind: 'word', text: word } : { kind: 'letter', text: word }
  }
  // In OpenSSL, 1.0.2za follows 1.0.2z; `p` without a number is also a letter.
  if (isAttached && !isNumbered && /^z?[a-z]$/.test(word)) return { kind: 'letter', text: word }
  const rank = preReleaseRanks.get(word)
  if (rank !== undefined) return { kind: 'preRelease', rank }
  const level = patchLevels.get(word)
  return level === undefined ? { kind: 'word', text: word } : { kind: 'level', text: level }
}

/** Compares only the leading numbers. This is a total order. */
export function compareRelease(a: Version, b: Version): number {
  const length = Math.max(a.release.length, b.release.length)
  for (let index = 0; index < length; index++) {
    const difference = compareStripped(a.release[index] ?? '0', b.release[index] ?? '0')
    if (difference !== 0) return Math.sign(difference)
  }
  return 0
}

/** Pre-release words sort before the end of a version, letters and patch levels after it, numbers last. */
const kindOrder = { preRelease: -1, end: 0, letter: 1, level: 1, word: 1, number: 2 }

/** Compares the parts after the leading numbers; null if they are not comparable. */
export function compareSuffix(a: Version['suffix'], b: Version['suffix']): number | null {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const left = a[index]
    const right = b[index]
    const difference = left && right && left.kind === right.kind ? comparePair(left, right) : compareKinds(left, right)
    if (difference !== 0) return difference
  }
  return 0
}

function comparePair(left: Token, right: Token): number | null {
  if (left.kind === 'preRelease' && right.kind === 'preRelease') return Math.sign(left.rank - right.rank)
  if (left.kind === 'number' && right.kind === 'number') return Math.sign(compareDigits(left.digits, right.digits))
  if (!('text' in left) || !('text' in right)) return null
  if (left.text === right.text) return 0
  if (left.kind !== 'letter') return null
  return Math.sign(left.text.length - right.text.length) || (left.text < right.text ? -1 : 1)
}

function compareKinds(left: Token | undefined, right: Token | undefined): number | null {
  if (left?.kind === 'word' || right?.kind === 'word') return null
  const difference = kindOrder[left?.kind ?? 'end'] - kindOrder[right?.kind ?? 'end']
  return difference === 0 ? null : Math.sign(difference)
}

function isZero(version: Version): boolean {
  return version.key === '0'
}

function rankByWord(...groups: readonly string[][]): ReadonlyMap<string, number> {
  return new Map(groups.flatMap((words, rank) => words.map((word) => [word, rank] as const)))
}

function firstSpellingByWord(...groups: readonly string[][]): ReadonlyMap<string, string> {
  return new Map(groups.flatMap((words) => words.map((word) => [word, words[0] ?? word] as const)))
}
