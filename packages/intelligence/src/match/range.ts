/** Version ranges of criteria: formatting and comparison. */
import type { CpeMatch } from '#threat.ts'
import { isPreRelease } from '#version/generic.ts'
import { compareVersions, type Scheme } from '#version/version.ts'

/** One end of a range. */
export interface Bound {
  readonly sign: '≥' | '>' | '≤' | '<'
  readonly version: string
}

/** The bounds of a criterion; empty if it has no range. */
export function boundsOf(match: CpeMatch): readonly Bound[] {
  const all = [
    { sign: '≥', version: match.versionStartIncluding },
    { sign: '>', version: match.versionStartExcluding },
    { sign: '≤', version: match.versionEndIncluding },
    { sign: '<', version: match.versionEndExcluding },
  ] as const
  return all.flatMap(({ sign, version }) => (version === undefined || version === '' ? [] : [{ sign, version }]))
}

/** Formats a range: `≥ 2.4.49, < 2.4.51`. */
export function formatRange(bounds: readonly Bound[]): string {
  return bounds.map(({ sign, version }) => `${sign} ${version}`).join(', ')
}

/** A version with its update, both as plain text; the update is empty if there is none. */
export interface FullVersion {
  readonly version: string
  readonly update: string
}

/** The position of a version relative to a range. */
export type RangeVerdict =
  /** `isPartial`: only the beginning of the version is known, so the unknown rest would be decisive. */
  | { readonly kind: 'inside'; readonly isPartial: boolean }
  | { readonly kind: 'outside' }
  /** `by`: the bound that can't be compared with the version. */
  | { readonly kind: 'unknown'; readonly by: string }

/** Checks whether a version satisfies all bounds. */
export function compareToRange(seen: FullVersion, bounds: readonly Bound[], scheme: Scheme): RangeVerdict {
  let isPartial = false
  for (const { sign, version } of bounds) {
    const isStart = sign === '≥' || sign === '>'
    const order = compareVersions(versionForBound(seen, version, isStart), version, scheme)
    if (order === null) return { kind: 'unknown', by: `${sign} ${version}` }
    const isSatisfied = order === 0 ? sign === '≥' || sign === '≤' : order > 0 === (sign === '≥' || sign === '>')
    if (!isSatisfied) return { kind: 'outside' }
    isPartial ||= version.startsWith(`${seen.version}.`)
  }
  return { kind: 'inside', isPartial }
}

/**
 * NVD's bounds usually omit the update, so 9.8p1 is not below 9.8. An update is compared if the bound
 * specifies one too (`9.3p2`), or if it is a pre-release and the bound is the end of the range: a
 * range that starts at 8.0.0 includes the release candidates of 8.0.0, and one that ends before 8.1.0
 * includes those of 8.1.0.
 */
function versionForBound(version: FullVersion, bound: string, isStart: boolean): string {
  return isUpdateSignificant(version, isStart, boundHasUpdate(bound)) ? withUpdate(version) : version.version
}

/** Whether the update of a version is compared at this end of a range. */
export function isUpdateSignificant({ update }: FullVersion, isStart: boolean, isUpdateNamed: boolean): boolean {
  return update !== '' && (isPreRelease(update) ? !isStart : isUpdateNamed)
}

/** Whether a bound specifies an update. */
export function boundHasUpdate(bound: string): boolean {
  return /\d[._-]?[a-z]/i.test(bound)
}

/** A version and its update as one text. */
export function withUpdate({ version, update }: FullVersion): string {
  return `${version}${isPreRelease(update) || /^\d/.test(update) ? '-' : ''}${update}`
}
