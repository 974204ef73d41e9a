/**
 * An order for versions of products whose rules nobody wrote down.
 *
 * Numbers come first and decide most cases. Words behind them move a version down (`rc1`, `beta`,
 * `dev`), up (`p1`, `sp2`, the letters of OpenSSL), or make it incomparable: a wrong order would
 * invent or hide a threat, so what cannot be known is `null`.
 */

/** What is known of a product's versions beyond the general order. */
export interface GenericRules {
  /** `3.9.0a1` is an alpha (Python, BIND), not a version after 3.9.0. */
  readonly attachedAlphas?: boolean
  /** Letters name release trains (Cisco IOS): versions of two trains have no order. */
  readonly trains?: boolean
}

type Token =
  | { readonly kind: 'before'; readonly rank: number }
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'letter'; readonly text: string }
  | { readonly kind: 'level'; readonly text: string }
  | { readonly kind: 'word'; readonly text: string }

/** Leading numbers, themselves without leading and all of them without trailing zeros, and what follows the first word. */
export interface Version {
  readonly release: readonly string[]
  /** The release as one key: versions that are equal in any order have the same. */
  readonly key: string
  readonly suffix: readonly Token[]
  /** `2022-01-01` and `2000` count years, `11.7` does not; the two have no order. */
  readonly isYear: boolean
}

const ranks = ranked(
  ['dev', 'devel', 'nightly', 'snapshot', 'canary', 'unstable', 'trunk'],
  ['alpha'],
  ['beta'],
  ['m', 'milestone', 'ea'],
  ['pre', 'preview', 'prerelease'],
  ['rc', 'cr'],
)
/** Levels above the bare version; spellings of one level share a name. */
const levels = named(
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
/** Words that say nothing of the order. */
const silent = new Set(['ga', 'final', 'release', 'stable', 'lts', 'ce', 'ee', 'oss', 'community', 'enterprise', 'jre'])

/**
 * Compares two versions.
 *
 * @returns negative, zero or positive as `left` is before, the same as or after `right`; null when
 *   their shapes cannot be compared
 */
export function compareGeneric(left: string, right: string, rules: GenericRules = noRules): number | null {
  const a = readVersion(left, rules)
  const b = readVersion(right, rules)
  const isComparable = a && b && areComparable(a, b)
  const order = isComparable ? compareRelease(a, b) : 0
  if (order !== 0) return order
  if (left.trim().toLowerCase() === right.trim().toLowerCase()) return 0
  if (!a || !b || a.isYear !== b.isYear) return isComparable ? order : null
  return compareSuffix(a.suffix, b.suffix)
}

/** Whether two versions count the same: years have no order among other numbers. */
export function areComparable(a: Version, b: Version): boolean {
  return a.isYear === b.isYear || isZero(a) || isZero(b)
}

/** True for a version or update that precedes the release it is named after, such as `rc1`. */
export function isPreRelease(text: string): boolean {
  const before = preReleases.get(text)
  if (before !== undefined) return before
  if (preReleases.size >= readingsMax) preReleases.clear()
  const verdict = readsAsPreRelease(text)
  preReleases.set(text, verdict)
  return verdict
}

function readsAsPreRelease(text: string): boolean {
  return tokens(clean(text), { attachedAlphas: true }).some((token) => token.kind === 'before')
}

/** Compares runs of digits of any length as numbers. */
export function compareDigits(left: string, right: string): number {
  return compareBare(bare(left), bare(right))
}

function compareBare(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b))
}

function bare(digits: string): string {
  return digits.startsWith('0') ? digits.replace(/^0+(?=\d)/, '') : digits
}

/** The leading numbers of a version, as one key: versions that are equal in any order have the same. */
export function releaseOf(text: string): string {
  return readVersion(text, noRules)?.key ?? text.trim().toLowerCase()
}

/** Bounds and versions come again and again; rules are few and always the same objects. */
const readings = new WeakMap<GenericRules, Map<string, Version | null>>()
const readingsMax = 50_000
const preReleases = new Map<string, boolean>()
const noRules: GenericRules = {}

/** What a version says; null where it has no number. Remembers what it read. */
export function readVersion(text: string, rules: GenericRules = noRules): Version | null {
  const known = readings.get(rules) ?? new Map<string, Version | null>()
  readings.set(rules, known)
  const before = known.get(text)
  if (before !== undefined) return before
  if (known.size >= readingsMax) known.clear()
  const version = readAnew(text, rules)
  known.set(text, version)
  return version
}

function readAnew(text: string, rules: GenericRules): Version | null {
  // Most versions are numbers and dots; eight digits at the beginning may be a day.
  if (/^\d{1,7}(?:\.\d+)*$/.test(text)) return versionOf(text.split('.').map(bare), noSuffix)
  const all = tokens(clean(text), rules)
  const firstWord = all.findIndex((token) => token.kind !== 'number')
  const count = firstWord === -1 ? all.length : firstWord
  const release = all.slice(0, count).flatMap((token) => (token.kind === 'number' ? [bare(token.digits)] : []))
  return release.length === 0 ? null : versionOf(release, all.slice(count))
}

const noSuffix: readonly Token[] = []

function versionOf(release: string[], suffix: readonly Token[]): Version {
  while (release.length > 1 && Number(release.at(-1)) === 0) release.pop()
  const first = Number(release[0])
  return { release, key: release.join('.'), suffix, isYear: first >= 1980 && first <= 2100 }
}

/** Takes off what is not part of the version: a leading `v` or `release-`, build data, a commit in brackets. */
function clean(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^(?:release|version|ver|rel|v)[-_. ]?(?=\d)/, '')
    .replace(/\([0-9a-f]{7,40}\)/, '')
    .replace(/-?\$\{.*$/, '')
    .replace(/\+.*$/, '')
    .replace(/^((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?!\d)/, '$1.$2.$3')
}

function tokens(text: string, rules: GenericRules): Token[] {
  return [...text.matchAll(/\d+|[a-z]+/g)].flatMap((found) => {
    const [word] = found
    if (/\d/.test(word)) return [{ kind: 'number', digits: word }]
    const isAttached = /\d/.test(text[found.index - 1] ?? '')
    const isNumbered = /\d/.test(text[found.index + word.length] ?? '')
    return silent.has(word) ? [] : [classify(word, isAttached, isNumbered, rules)]
  })
}

function classify(word: string, isAttached: boolean, isNumbered: boolean, rules: GenericRules): Token {
  if (rules.trains) return { kind: 'word', text: word }
  if (word === 'a' || word === 'b') {
    if (!isAttached || (isNumbered && rules.attachedAlphas))
      return { kind: 'before', rank: ranks.get(word === 'a' ? 'alpha' : 'beta') ?? 0 }
    // `5a1` is an alpha in one product and a patch in the next.
    return isNumbered ? { kind: 'word', text: word } : { kind: 'letter', text: word }
  }
  // OpenSSL goes from 1.0.2z to 1.0.2za; `p` without a number is its letter too.
  if (isAttached && !isNumbered && /^z?[a-z]$/.test(word)) return { kind: 'letter', text: word }
  const rank = ranks.get(word)
  if (rank !== undefined) return { kind: 'before', rank }
  const level = levels.get(word)
  return level === undefined ? { kind: 'word', text: word } : { kind: 'level', text: level }
}

/** Compares the leading numbers alone: a total order. */
export function compareRelease(a: Version, b: Version): number {
  const length = Math.max(a.release.length, b.release.length)
  for (let index = 0; index < length; index++) {
    const difference = compareBare(a.release[index] ?? '0', b.release[index] ?? '0')
    if (difference !== 0) return Math.sign(difference)
  }
  return 0
}

/** A pre-release word stands below the end of a version, letters and levels above, further numbers highest. */
const heights = { before: -1, end: 0, letter: 1, level: 1, word: 1, number: 2 }

/** Compares what follows the leading numbers; null where that has no order. */
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
  if (left.kind === 'before' && right.kind === 'before') return Math.sign(left.rank - right.rank)
  if (left.kind === 'number' && right.kind === 'number') return Math.sign(compareDigits(left.digits, right.digits))
  if (!('text' in left) || !('text' in right)) return null
  if (left.text === right.text) return 0
  if (left.kind !== 'letter') return null
  return Math.sign(left.text.length - right.text.length) || (left.text < right.text ? -1 : 1)
}

function compareKinds(left: Token | undefined, right: Token | undefined): number | null {
  if (left?.kind === 'word' || right?.kind === 'word') return null
  const difference = heights[left?.kind ?? 'end'] - heights[right?.kind ?? 'end']
  return difference === 0 ? null : Math.sign(difference)
}

function isZero(version: Version): boolean {
  return version.key === '0'
}

function ranked(...groups: readonly string[][]): ReadonlyMap<string, number> {
  return new Map(groups.flatMap((words, rank) => words.map((word) => [word, rank] as const)))
}

function named(...groups: readonly string[][]): ReadonlyMap<string, string> {
  return new Map(groups.flatMap((words) => words.map((word) => [word, words[0] ?? word] as const)))
}
