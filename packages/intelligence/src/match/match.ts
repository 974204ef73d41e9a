/** Matches a product of the inventory against a threat. Both results include the reason. */
import type { Wfn } from '@glacis/contract/product'
import { productKey } from '#alias.ts'
import { bestVerdict, evaluateConfiguration, type HostContext, type Verdict } from '#match/applicability.ts'
import { allVersions, type MismatchReason } from '#match/criterion.ts'
import { evaluateRevision, type DistributionFixes } from '#match/distribution.ts'
import { evaluatePackage, type InstalledPackage } from '#match/package.ts'
import { familyOf, familyOfRevision } from '#match/platform.ts'
import { displayName } from '#product-name.ts'
import { type Applicability, isDistribution, vulnerableNames } from '#threat.ts'
import { type CpeName, fromWfn, unquote } from '#wfn.ts'

/** Software as identified by a scan. */
export interface MatchSubject {
  readonly wfn: Wfn
  /** The distribution's revision, such as `Debian-2+deb12u10`. */
  readonly revision?: string | undefined
  /** The distribution's package that contains it, as reported from inside the host. */
  readonly package?: InstalledPackage | undefined
  /** Confidence of the identification, 0 to 100. */
  readonly quality: number
}

/** The threat applies according to the version: always a potential issue, never a verified one. */
export interface Match {
  readonly kind: 'match'
  readonly threat: string
  /** Quality of detection, 1 to 100. */
  readonly quality: number
  readonly evidence: {
    /** The matching criterion, as a formatted string. */
    readonly criteria: string
    /** `≥ 2.4.49, < 2.4.51`, `= 9.3p1`, or `all versions`. */
    readonly range: string
    /** A sentence for users with the product, its version, and the range. */
    readonly text: string
    /** The platform that the record requires; empty if it requires none. */
    readonly running: string
  }
}

/**
 * The threat doesn't apply, or it is unknown whether it does. Only `version_outside` and
 * `fixed_by_distribution` prove that the version is not affected.
 */
export interface NoMatch {
  readonly kind: 'no_match'
  readonly threat: string
  readonly reason: MismatchReason
  readonly text: string
}

/** Data used in addition to the feed's record. */
export interface Knowledge {
  readonly distributionFixes?: DistributionFixes
}

/** A distribution's build may contain fixes that its version doesn't reflect. */
const unknownRevisionCap = 50
/**
 * In older records, NVD often listed all versions although only the versions of that time were
 * affected. Such records are unreliable for current versions.
 */
const preciseRangesSinceYear = 2015
const impreciseRecordCap = 20
/** Matches below this quality can be shown but should not create an issue. */
export const issueQualityMin = 30
/** The lowest quality of a match. */
const qualityMin = 10

/**
 * Decides whether a threat applies to a product.
 *
 * @param inventory everything detected on the same host, with or without the product itself; used
 *   to check the platform that a record requires
 */
export function matchProduct(
  product: MatchSubject,
  threat: Applicability,
  inventory: readonly MatchSubject[],
  knowledge: Knowledge = {},
): Match | NoMatch {
  const noMatch = (reason: MismatchReason, text: string): NoMatch => ({
    kind: 'no_match',
    threat: threat.id,
    reason,
    text,
  })
  if (threat.isRejected) return noMatch('rejected', 'The CVE record was rejected.')
  const name = cpeNameOf(product)
  if (!name) return noMatch('other_product', 'The product has no valid CPE name.')
  if (isDistribution(name) && vulnerableNames(threat).some(({ part }) => part === 'a')) {
    return noMatch('other_product', 'The record lists this distribution only because it ships the affected product.')
  }
  const host = createHostContext(name, product, inventory)
  const verdict = bestVerdict(threat.configurations.map((configuration) => evaluateConfiguration(configuration, host)))
  if (verdict.kind !== 'yes') return noMatch(verdict.reason, verdict.text)
  const revision = revisionVerdict(name, product, threat.id, knowledge)
  if (revision === 'fixed') {
    const build = product.package
      ? `Package ${product.package.name} ${product.package.version}`
      : `${fullVersion(name)} ${product.revision}`
    return noMatch('fixed_by_distribution', `${build} includes the distribution's fix.`)
  }
  return {
    kind: 'match',
    threat: threat.id,
    quality: matchQuality(product, threat, verdict, revision),
    evidence: createEvidence(name, verdict),
  }
}

/** The same product is matched against thousands of records. */
const nameCache = new WeakMap<Wfn, CpeName | null>()

/** The CPE name of a product; null if it has no valid one. Cached. */
export function cpeNameOf({ wfn }: MatchSubject): CpeName | null {
  const cached = nameCache.get(wfn)
  if (cached !== undefined) return cached
  const name = fromWfn(wfn)
  nameCache.set(wfn, name)
  return name
}

type Applies = Extract<Verdict, { kind: 'yes' }>

/** Creates the context in which the product's records are evaluated. */
export function createHostContext(
  name: CpeName,
  product: MatchSubject,
  inventory: readonly MatchSubject[],
): HostContext {
  const all = [product, ...inventory]
  const others = inventory.flatMap((item) => cpeNameOf(item) ?? [])
  const families = [
    ...[name, ...others].map(familyOf),
    ...all.map(({ revision }) => (revision === undefined ? null : familyOfRevision(revision))),
  ]
  return { product: name, others, families: new Set(families.filter((family) => family !== null)) }
}

function revisionVerdict(name: CpeName, product: MatchSubject, threat: string, { distributionFixes }: Knowledge) {
  const key = productKey(name)
  const fixes = distributionFixes?.get(threat)?.filter((fix) => fix.product === key) ?? []
  const verdict = product.package ? evaluatePackage(product.package, fixes) : 'unknown'
  if (verdict !== 'unknown') return verdict
  // Our own facts have no release.
  const revision = product.package?.sourceVersion ?? product.revision ?? ''
  if (revision === '') return 'none'
  return evaluateRevision(fullVersion(name), revision, fixes)
}

function matchQuality(product: MatchSubject, threat: Applicability, verdict: Applies, revision: string): number {
  const maxQuality = Math.min(product.quality, revision === 'unknown' ? unknownRevisionCap : 100)
  return boundQuality(maxQuality, verdict, verdict.range === allVersions && predatesPreciseRanges(threat.id))
}

/** The quality of a match, at most `maxQuality`, after the criterion's loss and cap. */
export function boundQuality(
  maxQuality: number,
  { cap, loss }: { cap: number; loss: number },
  isImprecise: boolean,
): number {
  return Math.max(qualityMin, Math.min(maxQuality, cap, isImprecise ? impreciseRecordCap : 100) - loss)
}

/** Whether a record is so old that "all versions" is unreliable. */
export function predatesPreciseRanges(id: string): boolean {
  return Number(id.split('-')[1]) < preciseRangesSinceYear
}

function createEvidence(name: CpeName, { criteria, range, text, running }: Applies) {
  const on = running === '' ? '' : `, running on ${running}`
  return { criteria, range, running, text: `${displayName(name)} ${text}${on}.` }
}

function fullVersion(name: CpeName): string {
  return unquote(name.version) + (/^p\d/.test(name.update) ? unquote(name.update) : '')
}
