/** Fixes that a distribution backported: the upstream version doesn't reflect them. */
import { compareDebian, parseDebianVersion } from '#version/deb.ts'
import { compareRpm, parseRpmVersion } from '#version/rpm.ts'

/** The first package version of a distribution that contains the fix of a CVE. */
export interface DistributionFix {
  /** The product as a canonical `vendor:product` key. */
  readonly product: string
  /** As in the distribution's tracker, with epoch and revision: `1:9.2p1-2+deb12u3`; or `noFixedVersion`. */
  readonly fixedVersion: string
  /** `debian:12`, `ubuntu:22.04`, `el:9`; absent or empty if only the version identifies the release. */
  readonly release?: string | undefined
  /** The source package, or a binary package of an RPM distribution. */
  readonly package?: string | undefined
}
/** Used instead of a version: no build of this release contains the fix. */
export const noFixedVersion = ''
/** By CVE ID. */
export type DistributionFixes = ReadonlyMap<string, readonly DistributionFix[]>

/** Whether a distribution's build contains a fix. */
export type RevisionVerdict = 'fixed' | 'not_fixed' | 'unknown'

/**
 * Compares a version from a banner or a package list with a distribution's fixes. If the revision
 * identifies its release (`deb12`, `el9`), only fixes of that release count. Otherwise, only fixes of
 * the same upstream version count, because a different version belongs to a different release.
 *
 * @param revision the part after the version, such as `Debian-2+deb12u10`, or the complete package
 *   version
 */
export function evaluateRevision(
  upstream: string,
  revision: string,
  fixes: readonly DistributionFix[],
): RevisionVerdict {
  const own = distributionRevision(upstream, revision)
  if (own === '') return 'unknown'
  const release = releaseOf(own)
  const ofRelease = fixes.filter((fix) => release !== '' && fix.release === release)
  const known = applicableFixes(upstream, own, ofRelease.length > 0 ? ofRelease : fixes)
  // A source with a fixed version outranks one that doesn't have it yet.
  const named = known.filter(({ fixedVersion }) => fixedVersion !== noFixedVersion)
  if (named.length === 0) return ofRelease.some((fix) => fix.fixedVersion === noFixedVersion) ? 'not_fixed' : 'unknown'
  const compare = release.startsWith('el:') ? isFixedEnterpriseLinux : isFixedDebian
  return named.every(({ fixedVersion }) => compare(upstream, own, fixedVersion)) ? 'fixed' : 'not_fixed'
}

/**
 * A release may ship two version series of a product; then the fix for the same upstream version
 * counts. If the release is unknown, only fixes for the same upstream version can apply.
 */
function applicableFixes(upstream: string, own: string, fixes: readonly DistributionFix[]): readonly DistributionFix[] {
  const isKnown = releaseOf(own) !== '' && fixes.every(({ release }) => release === releaseOf(own))
  const same = fixes.filter(
    ({ fixedVersion, release = '' }) =>
      isSameUpstream(fixedVersion, upstream) &&
      (isKnown || release === '' || release.startsWith(`${distributionOf(own)}:`)),
  )
  return same.length > 0 || !isKnown ? same : fixes
}

/** The distribution family of a revision. Revisions of Ubuntu and Debian are not comparable. */
function distributionOf(own: string): string {
  if (/\.(?:el|fc|amzn)\d/.test(own)) return 'el'
  return own.includes('ubuntu') ? 'ubuntu' : 'debian'
}

/** Extracts the distribution's revision: `2+deb12u10` from `Debian-2+deb12u10` and `1:9.2p1-2+deb12u10`. */
function distributionRevision(upstream: string, revision: string): string {
  const bare = revision.trim().replace(/^(?:debian|ubuntu|raspbian)[-_ ]?/i, '')
  const whole = parseDebianVersion(bare)
  if (bare !== revision.trim()) return bare
  if (whole.revision !== '0' && stripRepackSuffix(whole.upstream) === upstream) return whole.revision
  return /(?:deb\d+|ubuntu|\.(?:el|fc|amzn)\d+)/.test(bare) ? bare : ''
}

function releaseOf(own: string): string {
  const debian = /(?:\+|~)deb(\d+)u/.exec(own)?.[1]
  if (debian !== undefined) return `debian:${debian}`
  const enterprise = /\.el(\d+)/.exec(own)?.[1]
  return enterprise === undefined ? '' : `el:${enterprise}`
}

/** Distributions repack sources without non-free parts; the upstream version stays the same. */
function stripRepackSuffix(upstream: string): string {
  return upstream.replace(/[+~](?:dfsg|ds|repack|really).*$/s, '')
}

function isSameUpstream(fixedVersion: string, upstream: string): boolean {
  return stripRepackSuffix(parseDebianVersion(fixedVersion).upstream) === upstream
}

/** Banners include neither the epoch nor the repack suffix, so those of the fix are used. */
function isFixedDebian(upstream: string, own: string, fixedVersion: string): boolean {
  const fixed = parseDebianVersion(fixedVersion)
  const same = stripRepackSuffix(fixed.upstream) === upstream ? fixed.upstream : upstream
  return compareDebian(`${fixed.epoch}:${same}-${own}`, fixedVersion) >= 0
}

function isFixedEnterpriseLinux(upstream: string, own: string, fixedVersion: string): boolean {
  return compareRpm(`${parseRpmVersion(fixedVersion).epoch}:${upstream}-${own}`, fixedVersion) >= 0
}
