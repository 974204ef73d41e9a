/** Version ranges of criteria, in words and compared. */
import type { CpeMatch } from '#threat.ts'
import { isPreRelease } from '#version/generic.ts'
import { compareVersions, type Scheme } from '#version/version.ts'

/** One end of a range. */
export interface Bound {
  readonly sign: '≥' | '>' | '≤' | '<'
  readonly version: string
}

/** The bounds of a criterion; empty when it has no range. */
export function boundsOf(match: CpeMatch): readonly Bound[] {
  const all = [
    { sign: '≥', version: match.versionStartIncluding },
    { sign: '>', version: match.versionStartExcluding },
    { sign: '≤', version: match.versionEndIncluding },
    { sign: '<', version: match.versionEndExcluding },
  ] as const
  return all.flatMap(({ sign, version }) => (version === undefined || version === '' ? [] : [{ sign, version }]))
}

/** A range for people: `≥ 2.4.49, < 2.4.51`. */
export function rangeInWords(bounds: readonly Bound[]): string {
  return bounds.map(({ sign, version }) => `${sign} ${version}`).join(', ')
}

/** A version with its update, both as plain text; the update is empty where there is none. */
export interface FullVersion {
  readonly version: string
  readonly update: string
}

/** Where a version lies; `by` is the bound that decided. */
export type RangeVerdict =
  /** `isPartial`: only the beginning of the version was seen, and the rest decides. */
  | { readonly kind: 'inside'; readonly isPartial: boolean }
  | { readonly kind: 'outside'; readonly by: string }
  | { readonly kind: 'unknown'; readonly by: string }

/** Says whether a version lies inside all bounds. */
export function compareWithRange(seen: FullVersion, bounds: readonly Bound[], scheme: Scheme): RangeVerdict {
  let isPartial = false
  for (const { sign, version } of bounds) {
    const isStart = sign === '≥' || sign === '>'
    const order = compareVersions(joined(seen, version, isStart), version, scheme)
    const by = `${sign} ${version}`
    if (order === null) return { kind: 'unknown', by }
    const holds = order === 0 ? sign === '≥' || sign === '≤' : order > 0 === (sign === '≥' || sign === '>')
    if (!holds) return { kind: 'outside', by }
    isPartial ||= version.startsWith(`${seen.version}.`)
  }
  return { kind: 'inside', isPartial }
}

/**
 * NVD's bounds are versions without their update, so 9.8p1 is not below 9.8. An update counts where
 * the bound names one too (`9.3p2`), and at the end of a range where it precedes its version: a
 * range from 8.0.0 on means the candidates of 8.0.0 too, one that ends before 8.1.0 means those of
 * 8.1.0.
 */
function joined(seen: FullVersion, bound: string, isStart: boolean): string {
  return countsUpdate(seen, isStart, namesUpdate(bound)) ? withUpdate(seen) : seen.version
}

/** Whether the update of a version counts at this end of a range. */
export function countsUpdate({ update }: FullVersion, isStart: boolean, isUpdateNamed: boolean): boolean {
  return update !== '' && (isPreRelease(update) ? !isStart : isUpdateNamed)
}

/** Whether a bound names an update. */
export function namesUpdate(bound: string): boolean {
  return /\d[._-]?[a-z]/i.test(bound)
}

/** A version and its update as one text. */
export function withUpdate({ version, update }: FullVersion): string {
  return `${version}${isPreRelease(update) || /^\d/.test(update) ? '-' : ''}${update}`
}
