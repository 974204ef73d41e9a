/** Matches installed packages of a distribution against its advisories. */
import type { Wfn } from '@glacis/contract/product'
import { productKey } from '#alias.ts'
import { productOfPackage } from '#package-product.ts'
import { type DistributionFix, noFixedVersion, type RevisionVerdict } from '#match/distribution.ts'
import { compareApk } from '#version/apk.ts'
import { compareDebian, parseDebianVersion } from '#version/deb.ts'
import { compareRpm, parseRpmVersion } from '#version/rpm.ts'
import { fromWfn, unquote } from '#wfn.ts'

/** A package as its package manager lists it. */
export interface InstalledPackage {
  readonly name: string
  readonly version: string
  /** The source package, which advisories refer to. */
  readonly source: string
  readonly sourceVersion: string
  /** `debian:12`, `ubuntu:22.04`, `el:9`, `alpine:3.20`. */
  readonly release: string
}

/** Compares two package versions of a release by the rules of its package manager. */
export function comparePackageVersions(release: string, left: string, right: string): number {
  if (release.startsWith('el:')) return compareRpm(left, right)
  return release.startsWith('alpine:') ? compareApk(left, right) : compareDebian(left, right)
}

const releaseNames: Readonly<Record<string, string>> = {
  debian: 'debian',
  ubuntu: 'ubuntu',
  alpine: 'alpine',
  rhel: 'el',
  centos: 'el',
  rocky: 'el',
  almalinux: 'el',
  ol: 'el',
}

/**
 * The release, named as in advisories, from `ID` and `VERSION_ID` of os-release(5); empty if no advisories are read for
 * it.
 */
export function releaseOfSystem(id: string, version: string): string {
  const name = Object.hasOwn(releaseNames, id) ? releaseNames[id] : undefined
  const pattern = name === 'ubuntu' || name === 'alpine' ? /^\d+\.\d+/ : /^\d+/
  const number = pattern.exec(version)?.[0]
  return name === undefined || number === undefined ? '' : `${name}:${number}`
}

/** Whether an installed package contains the fix of a CVE, according to these statements. */
export function evaluatePackage(installed: InstalledPackage, fixes: readonly DistributionFix[]): RevisionVerdict {
  const known = fixes.filter((fix) => isAbout(fix, installed))
  // A source with a fixed version outranks one that doesn't have it yet.
  const named = known.filter(({ fixedVersion }) => fixedVersion !== noFixedVersion)
  if (named.length === 0) return known.length > 0 ? 'not_fixed' : 'unknown'
  return named.every((fix) => containsFix(installed, fix)) ? 'fixed' : 'not_fixed'
}

/** Whether the installed version is the fixed one or newer. */
export function containsFix(installed: InstalledPackage, fix: DistributionFix): boolean {
  const version = fix.package === installed.source ? installed.sourceVersion : installed.version
  return comparePackageVersions(installed.release, version, fix.fixedVersion) >= 0
}

/** Whether a statement is about this package: in RPM distributions, advisories may name binary packages. */
function isAbout(fix: DistributionFix, installed: InstalledPackage): boolean {
  if (fix.release !== installed.release) return false
  if (!installed.release.startsWith('el:')) return fix.package === installed.source
  return (fix.package === installed.source || fix.package === installed.name) && isSameStream(fix, installed)
}

/** A module of Enterprise Linux exists in several versions at the same time, each with its own fixes. */
function isSameStream(fix: DistributionFix, installed: InstalledPackage): boolean {
  const isModular = [fix.fixedVersion, installed.version].map((version) => version.includes('.module'))
  if (isModular[0] !== isModular[1]) return fix.fixedVersion === noFixedVersion
  if (!isModular[0]) return true
  const [fixed, own] = [fix.fixedVersion, installed.version].map(
    (version) => /^\d+(?:\.\d+)?/.exec(parseRpmVersion(version).version)?.[0],
  )
  return fixed === own
}

/**
 * The package that contains software recognized on a port: one of the same product whose upstream version is the
 * recognized one. Software with another version wasn't installed by the package manager.
 */
export function packageOfProduct<T extends InstalledPackage>(wfn: Wfn, packages: readonly T[]): T | undefined {
  const name = fromWfn(wfn)
  const key = name && productKey(name)
  if (!name || !key) return undefined
  const version = unquote(name.version) + (/^p\d/.test(name.update) ? unquote(name.update) : '')
  return packages.find((one) => productOfPackage(one.source) === key && upstreamVersion(one) === version)
}

/** Without epoch, revision, and what a distribution appends to repacked sources. */
function upstreamVersion({ sourceVersion, release }: InstalledPackage): string {
  const { upstream } = parseDebianVersion(sourceVersion)
  return release.startsWith('alpine:') ? upstream.replace('_p', 'p') : upstream.replace(/[+~].*$/s, '')
}
