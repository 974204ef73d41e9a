/** Fixes that a distribution has put into an old version: the upstream version says nothing of them. */
import { compareDebian, readDebian } from '#version/deb.ts'

/** From which package version on a distribution has fixed a CVE. */
export interface DistributionFix {
  /** The product as a canonical `vendor:product` key. */
  readonly product: string
  /** As in the distribution's own tracker, with epoch and revision: `1:9.2p1-2+deb12u3`. */
  readonly fixedVersion: string
}
/** By CVE id. */
export type DistributionFixes = ReadonlyMap<string, readonly DistributionFix[]>

/** Whether a build of a distribution holds a fix. */
export type RevisionVerdict = 'fixed' | 'not_fixed' | 'unknown'

/**
 * Compares a version seen in a banner with what the distribution fixed.
 * Fixes of another upstream version say nothing: they belong to another release of the distribution.
 *
 * @param revision what the banner says behind the version, such as `Debian-2+deb12u10`
 */
export function decideRevision(upstream: string, revision: string, fixes: readonly DistributionFix[]): RevisionVerdict {
  const [, own = ''] = /^(?:debian|ubuntu)[-_ ]?(.*)$/i.exec(revision) ?? []
  if (own === '') return 'unknown'
  const verdicts = fixes.flatMap(({ fixedVersion }) => {
    const fixed = readDebian(fixedVersion)
    if (fixed.upstream.replace(/[+~](?:dfsg|ds|repack).*$/, '') !== upstream) return []
    return [compareDebian(`${fixed.upstream}-${own}`, `${fixed.upstream}-${fixed.revision}`) >= 0]
  })
  if (verdicts.length === 0) return 'unknown'
  return verdicts.every(Boolean) ? 'fixed' : 'not_fixed'
}
