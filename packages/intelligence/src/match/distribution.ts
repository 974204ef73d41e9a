/** Fixes that a distribution has put into an old version: the upstream version says nothing of them. */
import { compareDebian, readDebian } from '#version/deb.ts'
import { compareRpm, readRpm } from '#version/rpm.ts'

/** From which package version on a distribution has fixed a CVE. */
export interface DistributionFix {
  /** The product as a canonical `vendor:product` key. */
  readonly product: string
  /** As in the distribution's own tracker, with epoch and revision: `1:9.2p1-2+deb12u3`; or `noBuild`. */
  readonly fixedVersion: string
  /** `debian:12`, `ubuntu:22.04`, `el:9`; absent or empty where only the version tells. */
  readonly release?: string | undefined
}
/** In the place of a version: the distribution says that no build of this release holds the fix. */
export const noBuild = ''
/** By CVE id. */
export type DistributionFixes = ReadonlyMap<string, readonly DistributionFix[]>

/** Whether a build of a distribution holds a fix. */
export type RevisionVerdict = 'fixed' | 'not_fixed' | 'unknown'

/**
 * Compares a version seen in a banner or a list of packages with what the distribution fixed.
 * Where the revision names its release (`deb12`, `el9`), fixes of that release decide; else those of
 * the same upstream version, because fixes of another belong to another release.
 *
 * @param revision what stands behind the version, such as `Debian-2+deb12u10`, or the whole version
 *   of the package
 */
export function decideRevision(upstream: string, revision: string, fixes: readonly DistributionFix[]): RevisionVerdict {
  const own = ownRevision(upstream, revision)
  if (own === '') return 'unknown'
  const release = releaseOf(own)
  const ofRelease = fixes.filter((fix) => release !== '' && fix.release === release)
  const known = relevant(upstream, own, ofRelease.length > 0 ? ofRelease : fixes)
  // Whoever names a version goes before who has not heard of it.
  const named = known.filter(({ fixedVersion }) => fixedVersion !== noBuild)
  if (named.length === 0) return ofRelease.some((fix) => fix.fixedVersion === noBuild) ? 'not_fixed' : 'unknown'
  const compare = release.startsWith('el:') ? compareEnterprise : compareWithDebian
  return named.every(({ fixedVersion }) => compare(upstream, own, fixedVersion)) ? 'fixed' : 'not_fixed'
}

/**
 * A release may ship two trains of a product side by side; then the fix of its own decides. Where the
 * release is not known, only fixes of the same upstream version can be of it.
 */
function relevant(upstream: string, own: string, fixes: readonly DistributionFix[]): readonly DistributionFix[] {
  const isKnown = releaseOf(own) !== '' && fixes.every(({ release }) => release === releaseOf(own))
  const same = fixes.filter(
    ({ fixedVersion, release = '' }) =>
      isSameUpstream(fixedVersion, upstream) && (isKnown || release === '' || release.startsWith(`${familyOf(own)}:`)),
  )
  return same.length > 0 || !isKnown ? same : fixes
}

/** Whose revision it is: what Ubuntu counts says nothing of Debian's. */
function familyOf(own: string): string {
  if (/\.(?:el|fc|amzn)\d/.test(own)) return 'el'
  return own.includes('ubuntu') ? 'ubuntu' : 'debian'
}

/** The distribution's own part: `2+deb12u10` of `Debian-2+deb12u10`, of `2+deb12u10` and of `1:9.2p1-2+deb12u10`. */
function ownRevision(upstream: string, revision: string): string {
  const bare = revision.trim().replace(/^(?:debian|ubuntu|raspbian)[-_ ]?/i, '')
  const whole = readDebian(bare)
  if (bare !== revision.trim()) return bare
  if (whole.revision !== '0' && plainUpstream(whole.upstream) === upstream) return whole.revision
  return /(?:deb\d+|ubuntu|\.(?:el|fc|amzn)\d+)/.test(bare) ? bare : ''
}

function releaseOf(own: string): string {
  const debian = /(?:\+|~)deb(\d+)u/.exec(own)?.[1]
  if (debian !== undefined) return `debian:${debian}`
  const enterprise = /\.el(\d+)/.exec(own)?.[1]
  return enterprise === undefined ? '' : `el:${enterprise}`
}

/** Sources are repacked without what is not free; the version is the same. */
function plainUpstream(upstream: string): string {
  return upstream.replace(/[+~](?:dfsg|ds|repack|really).*$/, '')
}

function isSameUpstream(fixedVersion: string, upstream: string): boolean {
  return plainUpstream(readDebian(fixedVersion).upstream) === upstream
}

/** What was seen shows neither epoch nor repacking, so those of the fix are taken. */
function compareWithDebian(upstream: string, own: string, fixedVersion: string): boolean {
  const fixed = readDebian(fixedVersion)
  const same = plainUpstream(fixed.upstream) === upstream ? fixed.upstream : upstream
  return compareDebian(`${fixed.epoch}:${same}-${own}`, fixedVersion) >= 0
}

function compareEnterprise(upstream: string, own: string, fixedVersion: string): boolean {
  return compareRpm(`${readRpm(fixedVersion).epoch}:${upstream}-${own}`, fixedVersion) >= 0
}
