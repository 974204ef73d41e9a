/** The order of Alpine package versions, `1.2.3a_rc1-r4` (apk-package(5), after Gentoo's PMS 3.3). */
import { compareDigits } from '#version/generic.ts'

/** Suffixes from oldest to newest; those before the empty one are pre-releases. */
const suffixes = ['alpha', 'beta', 'pre', 'rc', '', 'cvs', 'svn', 'git', 'hg', 'p']

interface ApkVersion {
  readonly numbers: readonly string[]
  readonly letter: string
  readonly suffixes: readonly { readonly name: string; readonly number: string }[]
  /** `-r4`; empty without a revision. */
  readonly revision: string
}

/** Compares two package versions; returns a negative number, zero, or a positive number. */
export function compareApk(left: string, right: string): number {
  const [a, b] = [parse(left), parse(right)]
  return (
    compareNumbers(a.numbers, b.numbers) ||
    compareText(a.letter, b.letter) ||
    compareSuffixes(a.suffixes, b.suffixes) ||
    // A version without a revision is older than revision 0.
    Math.sign(Number(a.revision !== '') - Number(b.revision !== '')) ||
    Math.sign(compareDigits(a.revision || '0', b.revision || '0'))
  )
}

function parse(text: string): ApkVersion {
  const [, numbers = '', letter = '', suffix = '', revision = ''] =
    /^(\d+(?:\.\d+)*)?([a-z])?((?:_[a-z]+\d*)*)(?:~[0-9a-f]+)?(?:-r(\d+))?/.exec(text.trim()) ?? []
  return {
    numbers: numbers.split('.'),
    letter,
    suffixes: [...suffix.matchAll(/_([a-z]+)(\d*)/g)].map(([, name = '', number = '']) => ({ name, number })),
    revision,
  }
}

/** The first number is compared as an integer; later ones with a leading zero are decimal fractions. */
function compareNumbers(left: readonly string[], right: readonly string[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [a, b] = [left[index], right[index]]
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1
    const isFraction = index > 0 && (a.startsWith('0') || b.startsWith('0'))
    const length = Math.max(a.length, b.length)
    const order = isFraction
      ? compareText(a.padEnd(length, '0'), b.padEnd(length, '0'))
      : Math.sign(compareDigits(a, b))
    if (order !== 0) return order
  }
  return 0
}

function compareSuffixes(left: ApkVersion['suffixes'], right: ApkVersion['suffixes']): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [a, b] = [left[index], right[index]]
    const order =
      Math.sign(rank(a?.name) - rank(b?.name)) || Math.sign(compareDigits(a?.number || '0', b?.number || '0'))
    if (order !== 0) return order
  }
  return 0
}

function rank(suffix = ''): number {
  return suffixes.indexOf(suffix)
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}
