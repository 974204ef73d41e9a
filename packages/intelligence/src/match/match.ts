/** A product of the inventory against a threat. Both answers say why. */
import type { Wfn } from '@glacis/contract/product'
import { productKey } from '#alias.ts'
import { best, decideConfiguration, type Surroundings, type Verdict } from '#match/applicability.ts'
import { everyVersion, type Mismatch } from '#match/criterion.ts'
import { decideRevision, type DistributionFixes } from '#match/distribution.ts'
import { familyOf, familyOfRevision } from '#match/platform.ts'
import { type Applicability, isDistribution, vulnerableNames } from '#threat.ts'
import { type CpeName, fromWfn, unquote } from '#wfn.ts'

/** Software as a scan recognised it. */
export interface MatchSubject {
  readonly wfn: Wfn
  /** A distribution's own revision, such as `Debian-2+deb12u10`. */
  readonly revision?: string | undefined
  /** How sure the recognition is, 0 to 100; see the observation of a technology. */
  readonly quality: number
}

/** The threat applies, as far as versions can tell: always a potential issue, never a verified one. */
export interface Match {
  readonly kind: 'match'
  readonly threat: string
  /** Quality of detection, 1 to 100. */
  readonly quality: number
  readonly evidence: {
    /** The criterion that holds, as a formatted string. */
    readonly criteria: string
    /** `≥ 2.4.49, < 2.4.51`, `= 9.3 p1` or `every version`. */
    readonly range: string
    /** A sentence for people that holds the version and the range. */
    readonly text: string
    /** What the product runs on, where the record asks for it. */
    readonly running: string
  }
}

/**
 * The threat does not apply, or that cannot be told. Only `version_outside` and
 * `fixed_by_distribution` refute it: the version was read and is not affected.
 */
export interface NoMatch {
  readonly kind: 'no_match'
  readonly threat: string
  readonly reason: Mismatch
  readonly text: string
}

/** What else is known, beside the feed's record. */
export interface Knowledge {
  readonly distributionFixes?: DistributionFixes
}

/** Builds of a distribution may hold fixes that their version does not show. */
const unknownRevisionCap = 50
/**
 * Until about then NVD wrote "every version" where it meant "the versions of the day"; a quarter of
 * a century later such a record says nothing of a product that is still made.
 */
const firstPreciseYear = 2015
const vagueRecordCap = 20
/** Matches below this quality are guesses: they may be shown, but should not become an issue. */
export const issueQualityMin = 30
/** The least quality that a match is given. */
const qualityMin = 10

/**
 * Decides whether a threat applies to a product.
 *
 * @param inventory everything found on the same host, with or without the product itself; it
 *   decides what the product runs on
 */
export function matchProduct(
  product: MatchSubject,
  threat: Applicability,
  inventory: readonly MatchSubject[],
  knowledge: Knowledge = {},
): Match | NoMatch {
  const refuse = (reason: Mismatch, text: string): NoMatch => ({ kind: 'no_match', threat: threat.id, reason, text })
  if (threat.isRejected) return refuse('rejected', 'The record was withdrawn.')
  const name = nameOfProduct(product)
  if (!name) return refuse('other_product', 'The product has no usable name.')
  if (isDistribution(name) && vulnerableNames(threat).some(({ part }) => part === 'a')) {
    return refuse('other_product', 'The record names the distribution because it ships the product.')
  }
  const host = surroundings(name, product, inventory)
  const verdict = best(threat.configurations.map((configuration) => decideConfiguration(configuration, host)))
  if (verdict.kind !== 'yes') return refuse(verdict.reason, verdict.text)
  const revision = revisionVerdict(name, product, threat.id, knowledge)
  if (revision === 'fixed') {
    return refuse('fixed_by_distribution', `${fullVersion(name)} ${product.revision} holds the distribution's fix.`)
  }
  return {
    kind: 'match',
    threat: threat.id,
    quality: quality(product, threat, verdict, revision),
    evidence: evidence(name, verdict),
  }
}

/** The same software is held against thousands of records. */
const names = new WeakMap<Wfn, CpeName | null>()

/** The name of a product, quoted; null when it has no usable one. Remembers what it read. */
export function nameOfProduct({ wfn }: MatchSubject): CpeName | null {
  const known = names.get(wfn)
  if (known !== undefined) return known
  const name = fromWfn(wfn)
  names.set(wfn, name)
  return name
}

type Applies = Extract<Verdict, { kind: 'yes' }>

/** The host as far as it is known. */
export function surroundings(name: CpeName, product: MatchSubject, inventory: readonly MatchSubject[]): Surroundings {
  const all = [product, ...inventory]
  const others = inventory.flatMap((one) => nameOfProduct(one) ?? [])
  const families = [
    ...[name, ...others].map(familyOf),
    ...all.map(({ revision }) => (revision === undefined ? null : familyOfRevision(revision))),
  ]
  return { product: name, others, families: new Set(families.filter((family) => family !== null)) }
}

function revisionVerdict(name: CpeName, product: MatchSubject, threat: string, { distributionFixes }: Knowledge) {
  if (product.revision === undefined || product.revision === '') return 'none'
  const key = productKey(name)
  const fixes = distributionFixes?.get(threat)?.filter((fix) => fix.product === key) ?? []
  return decideRevision(fullVersion(name), product.revision, fixes)
}

function quality(product: MatchSubject, threat: Applicability, verdict: Applies, revision: string): number {
  const most = Math.min(product.quality, revision === 'unknown' ? unknownRevisionCap : 100)
  return qualityOf(most, verdict, verdict.range === everyVersion && isOfVagueTimes(threat.id))
}

/** The quality of a match out of what its criteria say; `most` bounds it. */
export function qualityOf(most: number, { cap, loss }: { cap: number; loss: number }, isVague: boolean): number {
  return Math.max(qualityMin, Math.min(most, cap, isVague ? vagueRecordCap : 100) - loss)
}

/** Whether a record is of the time in which "every version" was no statement. */
export function isOfVagueTimes(id: string): boolean {
  return Number(id.split('-')[1]) < firstPreciseYear
}

function evidence(name: CpeName, { criteria, range, text, running }: Applies) {
  const on = running === '' ? '' : `, running on ${running}`
  return { criteria, range, running, text: `${unquote(name.vendor)} ${unquote(name.product)} ${text}${on}.` }
}

function fullVersion(name: CpeName): string {
  return unquote(name.version) + (/^p\d/.test(name.update) ? unquote(name.update) : '')
}
